# packs and unpacks zip, tar, gzip, bz2 and xz
import bz2, gzip, io, lzma, shutil, tarfile, zipfile
data = b"0123456789" * 5000
for module in (gzip, bz2, lzma):
    assert module.decompress(module.compress(data)) == data
with zipfile.ZipFile("a.zip", "w", zipfile.ZIP_DEFLATED) as z:
    z.writestr("in/a.bin", data)
assert zipfile.ZipFile("a.zip").read("in/a.bin") == data
with tarfile.open("a.tar.gz", "w:gz") as t:
    info = tarfile.TarInfo("a.bin")
    info.size = len(data)
    t.addfile(info, io.BytesIO(data))
shutil.unpack_archive("a.tar.gz", "out")
assert open("out/a.bin", "rb").read() == data
set_result("works")
