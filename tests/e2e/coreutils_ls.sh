# ls over everything in /usr, by name and by size.
$R /usr/bin/ls -lR /usr
$R /usr/bin/ls -laS --full-time /usr/lib /etc 2>&1
$R /usr/bin/ls /does/not/exist
echo "status $?"
