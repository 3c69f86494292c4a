#!/bin/sh
# aarch64_sysroot.sh FOLDER: unpacks what pgokit is linked with on AArch64 into FOLDER, from the
# packages of this Debian release. Nothing is installed, and the machine's own package lists stay.
set -eu
folder=$1
packages="libc6-dev libstdc++-12-dev libfmt-dev libzstd-dev zlib1g-dev liblzma-dev libmd-dev libiberty-dev
  robin-map-dev libzydis-dev libcapstone-dev libcli11-dev nlohmann-json3-dev libgtest-dev libgmock-dev"
[ -e "$folder/complete" ] && [ "$(cat "$folder/complete")" = "$packages" ] && exit 0
rm -rf "$folder"
mkdir -p "$folder/apt/lists/partial" "$folder/apt/archives/partial"
: >"$folder/apt/status"
cat >"$folder/apt/apt.conf" <<TEXT
Dir::State::Lists "$folder/apt/lists";
Dir::State::status "$folder/apt/status";
Dir::Cache "$folder/apt";
APT::Architecture "arm64";
APT::Architectures { "arm64"; };
APT::Sandbox::User "";
TEXT
export APT_CONFIG="$folder/apt/apt.conf"
apt-get update -qq
# shellcheck disable=SC2086
apt-get install -qq -y --no-install-recommends --download-only $packages >/dev/null
for package in "$folder"/apt/archives/*.deb; do dpkg-deb -x "$package" "$folder"; done
# Links from the root of the system would be of this machine, or broken.
find "$folder" -type l -lname '/*' | while read -r link; do
  ln -sfr "$folder$(readlink "$link")" "$link"
done
rm -r "$folder/apt"
echo "$packages" >"$folder/complete"
