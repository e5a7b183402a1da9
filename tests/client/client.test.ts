import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { CLIENT_SCHEMA, clientSchema } from '../../scripts/client-schema.js';
import { type DirectoryClient, createDirectoryClient } from '../../src/client/index.js';
import { STREAM, STREAM_UUID } from '../../src/adapters/http/openapi/examples.js';
import { documentedDirectory } from '../support/documented-directory.js';
import { listening } from '../support/http-service.js';
import { cleanEnvironment } from '../support/running-service.js';

describe('The typed client', () => {
  let directory: Awaited<ReturnType<typeof documentedDirectory>>;
  let url: string;
  let close: () => Promise<void>;
  let client: DirectoryClient;
  beforeEach(async () => {
    directory = await documentedDirectory();
    ({ url, close } = await listening(directory.app));
    client = createDirectoryClient(url);
  });
  afterEach(() => close());

  it('has the types that the OpenAPI document gives (npm run generate:client)', async () => {
    expect(await readFile(CLIENT_SCHEMA, 'utf8')).to.equal(await clientSchema());
  });

  it('reads the directory', async () => {
    const { data, response } = await client.GET('/stream');
    expect(response.status).to.equal(200);
    expect(data?.map(({ id, name, song }) => [id, name, song.title])).to.deep.equal([[1, STREAM.name, '']]);
    const { data: organization } = await client.GET('/organization/name/{name}', {
      params: { path: { name: 'radio nova' } },
    });
    expect(organization?.links[0]?.type).to.equal('website');
  });

  it('registers, logs in and votes', async () => {
    const listener = directory.aListener();
    const registered = await client.POST('/user', { body: listener });
    expect(registered.data?.message).to.equal('User created, please active user');
    await directory.deliver();
    const token = directory.mailer.token('activation', listener.email);
    await client.POST('/user/activate/{token}', { params: { path: { token } } });
    const { data: login } = await client.POST('/user/login', { body: listener });
    const mine = createDirectoryClient(url, { headers: { Authorization: `Bearer ${login?.access_token}` } });
    const params = { path: { id: 1 } };
    const vote = await mine.POST('/stream/{id}/vote', { params, body: { voteType: 'up' } });
    expect(vote.data).to.deep.equal({ message: 'Vote saved' });
    const { data: votes } = await mine.GET('/stream/{id}/votes', { params });
    expect(votes).to.deep.equal({ upvotes: 1, downvotes: 0, score: 1, userVote: 'up' });
  });

  it('reports what a stream plays', async () => {
    const station = createDirectoryClient(url, { headers: { 'X-API-KEY': directory.token } });
    const { data } = await station.POST('/stream/update/{streamUUID}', {
      params: { path: { streamUUID: STREAM_UUID } },
      body: { title: 'So What', artist: 'Miles Davis' },
    });
    expect(data).to.deep.equal({ message: 'Stream updated' });
  });

  it('tells why it was refused', async () => {
    const { data, error } = await client.GET('/stream/{id}/history', { params: { path: { id: 4_711 } } });
    expect(data).to.equal(undefined);
    expect(error).to.deep.equal({ statusCode: 404, message: 'Not Found' });
  });

  it('does not compile with a name that there is not', async () => {
    const params = { path: { id: 1 } };
    // @ts-expect-error the body has a voteType
    await client.POST('/stream/{id}/vote', { params, body: { votetype: 'up' } });
    // @ts-expect-error a report has a title
    await client.POST('/stream/update/{streamUUID}', { body: { titel: 'So What' } });
    // @ts-expect-error a vote is up or down
    await client.POST('/stream/{id}/vote', { params, body: { voteType: 'sideways' } });
    // @ts-expect-error the path has an id
    await client.GET('/stream/{id}/votes', { params: { path: { stream: 1 } } });
    // @ts-expect-error there is no such path
    await client.GET('/streams');
    const { data } = await client.GET('/stream');
    // @ts-expect-error a song has a cover
    expect(data?.[0]?.song.art).to.equal(undefined);
  });

  it('works in the example of the documentation', async () => {
    const run = await promisify(execFile)(process.execPath, ['--import', 'tsx', 'docs/examples/client.ts'], {
      env: { ...cleanEnvironment(), DIRECTORY_URL: url },
    });
    expect(run.stdout).to.equal('Nova Jazz: nobody - nothing (score 0)\n');
  });
});
