// Package search looks for known values in files that are not text. It reads their bytes, and what
// gzip and zip files (so xlsx, docx, pptx, jar) hold, nested up to maxDepth deep.
//
// Values are found as the redactor's streaming pass finds them, raw or in one encoding. Bytes are
// counted, and all that a Search unpacks has one budget. An archive that can't be read whole is no
// finding and no clearance: see Result.
//
// All other files are searched as bytes. A value that they compress, encrypt, split by markup or
// spread over pages passes.
package search
