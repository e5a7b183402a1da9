import { createDirectoryClient } from 'radio-directory/client';

const directory = createDirectoryClient(process.env['DIRECTORY_URL'] ?? 'http://localhost:3000');

const { data: streams, error } = await directory.GET('/stream');
if (!streams) throw new Error(error.message);
for (const { id, name, song } of streams.slice(0, 3)) {
  const { data: votes } = await directory.GET('/stream/{id}/votes', { params: { path: { id } } });
  console.log(
    `${name}: ${song.artist || 'nobody'} - ${song.title || 'nothing'} (score ${votes?.score ?? 0})`,
  );
}
