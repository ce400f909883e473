// Package proof tries to get secrets past the redactor, and lets a program that shares no code with
// it look for them.
//
// A case is a random secret, a part of one, or a field of a value of several parts. It is written as it
// is or in one encoding, put into a random text, and sent through one channel as
// the engine would: output in random pieces through a Stream and then as a whole, all else as a
// whole. Each case has a Redactor of its own, with secrets of its own.
//
// What comes out of a batch of cases is kept by an instance: a real store, with both faces of the
// server in front of it. Cases of different channels share an execution there, and a batch a
// transaction; that saves most of what storing and showing costs, and takes nothing from what is
// stored and shown. batches.py (Python, standard library only) gets what came out, the page and the
// agent's answer of each execution, the pages with lists, and the files: the database, its
// write-ahead log, the log. It undoes encodings in its own way, as many as the case has, and looks
// for the secret and for two thirds of it; in the files and lists it looks for whole secrets in one
// encoding.
//
// A detector that finds nothing proves nothing: other tests plant a secret of every encoding in
// every channel and every place, and it must find each.
//
// Every leak fails the test: no case is left out.
//
// go test runs some thousands of cases. make proof runs a million, or as many as CASES says, from
// the number FIRST on; a case is made from the seed and its number alone, so that a leak can be
// looked at again with -first and -cases 1.
package proof
