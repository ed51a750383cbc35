# find: tests, actions, commands run per file and in bulk.
$R /usr/bin/find /usr/lib /usr/include -type f -size +100k -printf '%p %s %m %u\n'
$R /usr/bin/find /usr/share -maxdepth 2 -type d -name 'p*' -exec /usr/bin/stat -c '%n %h' {} \; | sort
$R /usr/bin/find /usr/include -name '*.h' -newer /usr/include/stdio.h -print0 | tr '\0' '\n' | sort
$R /usr/bin/find /usr/include -name 'std*.h' -exec /usr/bin/wc -c {} +
mkdir -p deep/{a,b,c}/{1,2,3}
$R /usr/bin/find deep -depth -type d -name 2 -delete
$R /usr/bin/find deep | sort
$R /usr/bin/find deep /does/not/exist -maxdepth 0
echo "status $?"
