// Package search looks for known values in files that are not text: in their bytes, and in what gzip,
// bzip2, zip (so xlsx, docx, jar), tar and SQLite files in them hold, nested up to maxDepth deep.
//
// Values are found as the redactor's streaming pass finds them, raw, encoded and in UTF-32. Of SQLite files
// the parts of long values are put together, which lie on pages of their own, and gzip, bzip2, zip and zlib
// data is looked for at every byte.
//
// Nothing is believed of a file: bytes are counted, and all that a Search unpacks has one budget. A
// file that is an archive and can't be read whole is no finding and no clearance: see Result.
//
// # Not found
//
// What is compressed or encrypted inside of other formats: PDF, Parquet, images, media, xz, zstd, 7z, zlib
// outside of SQLite files. UTF-32 of other than ASCII.
// A value that is split by markup or cells, and one that only the redactor's final pass would find.
package search
