# Checksums: made, checked, and found wrong.
noise 20000000 >data
head -c 1000 data >small
$R /usr/bin/sha256sum data small | tee sums
$R /usr/bin/sha256sum -c sums
for sum in md5sum sha1sum sha512sum b2sum cksum; do $R /usr/bin/$sum data; done
echo x >>small
$R /usr/bin/sha256sum -c sums
echo "status $?"
