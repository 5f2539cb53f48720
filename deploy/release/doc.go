// Command release makes everything that is published of a version, from a checkout:
//
//	ovation-V-linux-ARCH.tar.gz   the static program
//	ovation-V-linux-ARCH.cdx.json what it is made of (CycloneDX), read from the program
//	ovation-V-image.tar           the image of all architectures, an OCI layout; image/ is the same, unpacked
//	ovation_V_ARCH.deb            with the unit of systemd, where dpkg-deb is installed
//	ovation-V.tgz                 the Helm chart
//	ovation-V-compose.tar.gz      the compose file and what it reads
//	SHA256SUMS
//
//	go run ./deploy/release --out .release --version v1.2.3 --revision abc
//
// Files have the time of SOURCE_DATE_EPOCH, else that of the commit: two runs over one commit give the same bytes.
// It needs Go and, without a module cache, the module proxy.
package main
