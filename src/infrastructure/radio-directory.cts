#!/usr/bin/env node
// libuv reads this once, when its first thread starts; loading an ES module starts one, so only a CommonJS file is early
// enough. bcrypt takes one thread per core: file reads and name look-ups must not wait behind it.
process.env['UV_THREADPOOL_SIZE'] ??= '8';
void import('./main.js');
