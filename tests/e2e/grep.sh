# grep -r with each of its matchers, over text and binaries.
$R /usr/bin/grep -rnE 'typedef +struct [a-z_]+' /usr/include
$R /usr/bin/grep -rlF 'printf(' /usr/include /usr/share/perl* | sort
$R /usr/bin/grep -rciP '\bthe\s+(\w+)\s+of\b' /usr/share/common-licenses
$R /usr/bin/grep -rwo 'EINTR' /usr/include
$R /usr/bin/grep -c GNU /usr/bin/git /bin/bash
$R /usr/bin/grep -r 'no such text anywhere, ever' /usr/include/linux
echo "status $?"
