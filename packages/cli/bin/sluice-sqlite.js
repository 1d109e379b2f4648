#!/usr/bin/env node
// It is there before the first build: without it a clone of the repository would have no `sluice` to link.
import '../dist/sluice-sqlite.js'
