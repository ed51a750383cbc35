# ls over everything in /usr, by name and by size. Not the number of links: recordings are links to the system's files.
unlinked() { sed -E 's/ +/ /g; s/^(-[^ ]+) [0-9]+ /\1 /'; }
$R /usr/bin/ls -lR /usr | unlinked
$R /usr/bin/ls -laS --full-time /usr/lib /etc 2>&1 | unlinked
$R /usr/bin/ls /does/not/exist
echo "status $?"
