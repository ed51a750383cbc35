/* lasting_folder.h: the folder of stored code (lasting_folder.c). */
#ifndef REPRISE_ENGINE_LASTING_FOLDER_H
#define REPRISE_ENGINE_LASTING_FOLDER_H

/* What a file's name begins with until the file is whole. */
#define LASTING_UNFINISHED "new-"

/* Removes what was left unfinished, and the oldest files if there is more than LASTING_FOLDER_MAX in all. */
void lasting_limit_folder(int folder);

#endif
