/* execve's errors: each leaves the caller running with the right errno. */
#include "exec_helpers.h"
#include <elf.h>

int main(void) {
  scratch_start();
  char *arguments[] = {"x", NULL}, *environment[] = {NULL};
  struct rlimit limit;
  execute("no such file", scratch_path("none"), arguments, environment);
  execute("empty path", "", arguments, environment);
  execute("directory", scratch, arguments, environment);
  execute("below a file", "/etc/passwd/x", arguments, environment);
  execute("no permission", scratch_text("plain", "x", 0600), arguments, environment);
  execute("empty file", scratch_text("empty", "", 0755), arguments, environment);
  execute("garbage", scratch_text("garbage", "\1\2\3\4garbage", 0755), arguments, environment);
  execute("only the magic", scratch_text("magic", "\177ELF", 0755), arguments, environment);
  Elf64_Ehdr header = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
                       .e_type = ET_EXEC,
                       .e_machine = EM_SPARCV9,
                       .e_phentsize = sizeof(Elf64_Phdr),
                       .e_phnum = 1,
                       .e_phoff = sizeof(Elf64_Ehdr)};
  execute("another machine", scratch_write("m", &header, sizeof header, 0755), arguments, environment);
  header.e_machine = EM_X86_64, header.e_type = ET_REL;
  execute("object file", scratch_write("o", &header, sizeof header, 0755), arguments, environment);
  header.e_type = ET_EXEC, header.e_phnum = 0;
  execute("no program headers", scratch_write("h", &header, sizeof header, 0755), arguments, environment);
  struct {
    Elf64_Ehdr header;
    Elf64_Phdr interpreter;
    char path[32];
  } image = {
      .header = header, .interpreter = {.p_type = PT_INTERP, .p_filesz = 32}, .path = "/nonexistent/loader"};
  image.header.e_phnum = 1;
  image.interpreter.p_offset = (char *)&image.path - (char *)&image;
  execute("missing loader", scratch_write("l", &image, sizeof image, 0755), arguments, environment);
  CHECK(symlink("loop", scratch_path("loop")) == 0);
  execute("loop of links", scratch_path("loop"), arguments, environment);
  char name[300];
  memset(name, 'n', sizeof name - 1), name[299] = 0;
  execute("name too long", name, arguments, environment);
  execute("bad path pointer", (char *)16, arguments, environment);
  execute("bad argument list", "/bin/true", (char **)16, environment);
  char *bad_string[] = {"x", (char *)16, NULL};
  execute("bad argument", "/bin/true", bad_string, environment);
  int open_for_writing = open(scratch_copy_self("busy"), O_WRONLY);
  execute("busy text", scratch_path("busy"), arguments, environment);
  close(open_for_writing);
  static char huge[200000];
  memset(huge, 'h', sizeof huge - 1);
  char *too_big[] = {"x", huge, NULL};
  execute("one string too long", "/bin/true", too_big, environment);
  CHECK(getrlimit(RLIMIT_STACK, &limit) == 0);
  limit.rlim_cur = 1 << 20; /* a quarter of it is for arguments and environment */
  CHECK(setrlimit(RLIMIT_STACK, &limit) == 0);
  static char part[60000], *many[12];
  memset(part, 'p', sizeof part - 1);
  for (int i = 0; i < 11; i++) many[i] = part;
  execute("all strings too long", "/bin/true", many, environment);
  execute("in the environment", "/bin/true", arguments, many);
  many[2] = NULL;
  execute("long but fitting", "/bin/false", many, environment);
  scratch_end();
  return 0;
}
