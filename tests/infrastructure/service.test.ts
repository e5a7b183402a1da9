import { expect } from 'chai';
import { type Service, createService, loadConfig } from '../../src/infrastructure/index.js';

/** As the README shows it to embedders. */
const inMemory = () =>
  createService(
    loadConfig({
      DATABASE_URL: 'memory:',
      HOST: '127.0.0.1',
      PORT: '0',
      MANAGEMENT_PORT: '',
      LOG_LEVEL: 'silent',
      DATA_DIR: '/nonexistent',
    }),
  );

describe('The service in the process of another program', () => {
  const open: Service[] = [];
  afterEach(async () => {
    for (const service of open.splice(0)) await service.close();
  });
  const started = async () => {
    const service = await inMemory();
    open.push(service);
    const { port } = await service.listen();
    return { service, url: `http://127.0.0.1:${port}` };
  };

  it('serves from memory and touches no folder', async () => {
    const { url } = await started();
    expect(await (await fetch(`${url}/stream`)).json()).to.deep.equal([]);
    expect(await (await fetch(`${url}/stats`)).json()).to.deep.equal({
      users: 0,
      organizations: 0,
      stations: 0,
    });
  });

  it('runs twice beside itself, each with a directory and logins of its own', async () => {
    const one = await started();
    const other = await started();
    expect(one.url).to.not.equal(other.url);
    expect((await fetch(other.url)).status).to.equal(200);
  });

  it('stops taking requests when closed', async () => {
    const { service, url } = await started();
    await service.close();
    open.pop();
    const refused = await fetch(url).then(
      () => false,
      () => true,
    );
    expect(refused).to.equal(true);
  });
});
