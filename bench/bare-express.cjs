const express = require('express');

/** The least that Express can do: the yardstick of node.ts. Its parent sends it the listing. */
const app = express();
let listing = '[]';
app.get('/', (_request, response) => response.json({ message: 'reachable' }));
app.get('/stream', (_request, response) => response.type('json').send(listing));
app.post('/vote', express.json(), (_request, response) => response.json({ message: 'Vote saved' }));
process.once('message', (text) => {
  listing = text;
  process.send('ready');
});
const server = app.listen(0, '127.0.0.1', () => process.send(server.address().port));
