import assert from 'node:assert/strict';
import { createService, loadConfig } from 'radio-directory';

it('serves the directory from memory', async () => {
  const config = loadConfig({ DATABASE_URL: 'memory:', PORT: '0', LOG_LEVEL: 'silent' });
  const service = await createService(config);
  try {
    const { port } = await service.listen();
    const response = await fetch(`http://localhost:${port}/stream`);
    assert.deepEqual(await response.json(), []);
  } finally {
    await service.close();
  }
});
