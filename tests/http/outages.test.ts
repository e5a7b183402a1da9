import { expect } from 'chai';
import type { HttpDependencies } from '../../src/adapters/http/app.js';
import { Unavailable } from '../../src/application/errors.js';
import type { DirectoryReadModel } from '../../src/application/ports/directory-read-model.js';
import { httpService } from '../support/http-service.js';

/** The read model as it behaves while the storage behind it fails in this way. */
const failing =
  (failure: Error) =>
  ({ directory }: HttpDependencies): Partial<HttpDependencies> => {
    const refuse = () => Promise.reject(failure);
    const failed: Partial<DirectoryReadModel> = { streams: refuse, history: refuse, statistics: refuse };
    return { directory: Object.assign(Object.create(directory) as DirectoryReadModel, failed) };
  };
const PATHS = ['/stream', '/stream/1/history', '/stats'];

describe('Outages over HTTP', () => {
  it('answers 503 with Retry-After while the storage is not available, and logs it', async () => {
    const lost = new Unavailable('PostgreSQL', new Error('Connection terminated unexpectedly'));
    const service = httpService({ replace: failing(lost) });
    for (const path of PATHS) {
      const response = await service.http.get(path).set('X-Request-Id', 'lost').expect(503);
      expect(response.text).to.equal('{"statusCode":503,"message":"Service Unavailable"}');
      expect(response.headers).to.include({ 'retry-after': '1', 'cache-control': 'no-store' });
      expect(response.headers).not.to.have.property('etag');
    }
    const warnings = service.logged.filter(({ level }) => level === 'warn');
    expect(warnings).to.have.length(PATHS.length);
    expect(warnings[0]?.fields).to.deep.equal({ requestId: 'lost', err: lost });
  });

  it('answers 500 to what nobody foresaw, and tells the log only', async () => {
    const bug = new Error('secret detail');
    const service = httpService({ replace: failing(bug) });
    for (const path of PATHS) {
      const response = await service.http.get(path).set('X-Request-Id', 'bug').expect(500);
      expect(response.text).to.equal('{"statusCode":500,"message":"Internal Server Error"}');
      expect(response.headers['cache-control']).to.equal('no-store');
    }
    const errors = service.logged.filter(({ level }) => level === 'error');
    expect(errors).to.have.length(PATHS.length);
    expect(errors[0]?.fields).to.deep.equal({ requestId: 'bug', err: bug });
  });

  it('never takes the status of a foreign error for its own, unless the request is to blame', async () => {
    for (const [status, answered] of [
      [200, 500],
      [302, 500],
      [502, 500],
      [599, 500],
      ['x', 500],
      [418, 418],
    ]) {
      const foreign = Object.assign(new Error('foreign'), { status });
      const service = httpService({ replace: failing(foreign), isDescribed: false });
      const response = await service.http.get('/stats');
      expect(response.status).to.equal(answered);
    }
  });

  it('needs no storage to say that it is reachable', async () => {
    const lost = new Unavailable('PostgreSQL', new Error('gone'));
    await httpService({ replace: failing(lost) })
      .http.get('/')
      .expect(200);
  });
});
