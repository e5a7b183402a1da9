import { expect } from 'chai';
import { readFileSync, readdirSync } from 'node:fs';
import type { StreamUuid } from '../../src/domain/ids.js';
import { type HttpService, httpService } from '../support/http-service.js';
import { shownOn } from '../support/shown.js';
import {
  NOTHING,
  UNTOUCHED,
  GRIND,
  ALUKO,
  EARLIER,
  ALUKO_PLAYED,
  NORMAL,
  NATIVE,
  NO_OBJECT,
  DIRECTORY_CONNECTOR,
  OTHER_SYSTEMS,
} from './webhook-expectations.js';

type Request = { readonly method: string; readonly headers: Record<string, string>; readonly body: unknown };

const FIXTURES = 'tests/fixtures';
describe('What senders in the wild send', () => {
  let service: HttpService;
  let token: string;
  let stream: { id: number; uuid: StreamUuid };
  beforeEach(async () => {
    service = httpService();
    const organization = await service.addOrganization();
    token = await service.addToken(organization);
    stream = await service.addStream(organization);
  });
  const shown = () => shownOn(service.http, stream.id);
  const basic = () => `Basic ${Buffer.from(`radio:${token}`).toString('base64')}`;
  const file = (name: string) => readFileSync(`${FIXTURES}/azuracast/${name}`, 'utf8');
  const webHook = (body: string, path = `/stream/update/${stream.uuid}`) =>
    service.http
      .post(path)
      .set({ 'Content-Type': 'application/json', 'User-Agent': 'GuzzleHttp/7', Authorization: basic() })
      .send(body);
  /** The request as it stands, to our path, with our token in the header that carried the sender's own. */
  const send = ({ headers, body }: Request, query: string, type?: string) => {
    const sent = Object.entries(headers).map(([name, value]): [string, string] => {
      if (/^x-api-key$/i.test(name)) return [name, token];
      if (!/^authorization$/i.test(name)) return [name, value];
      return [name, value.startsWith('Basic') ? basic() : `Bearer ${token}`];
    });
    const hasCredentials = sent.some(([name]) => /^(authorization|x-api-key)$/i.test(name));
    const request = service.http
      .post(`/stream/update/${stream.uuid}${query}`)
      .set(Object.fromEntries<string>(sent));
    if (!hasCredentials) request.set('Authorization', basic());
    if (type !== undefined) request.set('Content-Type', type);
    if (body === null) return request;
    const written = typeof body === 'string' ? body : JSON.stringify(body);
    // Without a media type of its own supertest would add one.
    if (type ?? headers['Content-Type']) return request.send(written);
    request.write(written);
    return request;
  };

  describe("AzuraCast's generic web hook, with Basic authentication", () => {
    it('has an expectation for every fixture', () => {
      const files = readdirSync(`${FIXTURES}/azuracast`).filter((name) => name.endsWith('.json'));
      expect([...Object.keys(NATIVE), NO_OBJECT].sort()).to.deep.equal(files.sort());
    });

    for (const [name, expected] of Object.entries(NATIVE))
      it(`shows what ${name} says, and nothing else after it came again`, async () => {
        const first = await webHook(file(name)).expect(200);
        expect(await shown()).to.deep.equal(expected);
        expect(first.body).to.deep.equal({
          message: expected === UNTOUCHED ? 'Stream unchanged' : 'Stream updated',
        });
        const again = await webHook(file(name)).expect(200);
        expect(again.text).to.equal('{"message":"Stream unchanged"}');
        expect(await shown()).to.deep.equal(expected);
      });

    it(`refuses ${NO_OBJECT} and shows nothing`, async () => {
      const refused = await webHook(file(NO_OBJECT)).expect(400);
      expect(refused.body).to.deep.equal({ statusCode: 400, message: 'The body must be a JSON object.' });
      expect(await shown()).to.deep.equal(UNTOUCHED);
    });

    for (const name of [
      'built-listener-event-same-song.json',
      'built-jingle-hidden.json',
      'built-request.json',
    ])
      it(`sees nothing new in ${name} while its song is on air`, async () => {
        await webHook(file('built-autodj-normal.json')).expect(200);
        const repeat = await webHook(file(name)).expect(200);
        expect(repeat.text).to.equal('{"message":"Stream unchanged"}');
        expect(await shown()).to.deep.equal(NORMAL);
      });

    it('takes the following song, and the same play ids for the same plays', async () => {
      await webHook(file('built-autodj-normal.json')).expect(200);
      await webHook(file('built-next-song.json')).expect(200);
      expect(await shown()).to.deep.equal(NATIVE['built-next-song.json']);
      const late = await webHook(file('built-autodj-normal.json')).expect(200);
      expect(late.text).to.equal('{"message":"Stream unchanged"}');
      expect(await shown()).to.deep.equal(NATIVE['built-next-song.json']);
    });

    it('takes the next song away when there is none any more', async () => {
      await webHook(file('built-autodj-normal.json')).expect(200);
      await webHook(file('built-no-next.json')).expect(200);
      expect(await shown()).to.deep.equal(NATIVE['built-no-next.json']);
    });

    for (const name of ['built-offline-autodj-stopped.json', 'built-offline-remote-only.json'])
      it(`ends the song at ${name}, and it goes on when the station is back`, async () => {
        await webHook(file('built-autodj-normal.json')).expect(200);
        await webHook(file(name)).expect(200);
        expect(await shown()).to.deep.equal({ song: NOTHING, history: [ALUKO_PLAYED, ...EARLIER] });
        await webHook(file('built-autodj-normal.json')).expect(200);
        expect(await shown()).to.deep.equal(NORMAL);
      });

    it('knows "Station Offline" by its id, whatever text the operator has set for it', async () => {
      await webHook(file('built-autodj-normal.json')).expect(200);
      const offline = file('built-offline-remote-only.json')
        .replaceAll('Station Offline', 'Back at six - stay tuned')
        .replace('"is_online": false', '"is_online": true');
      expect(offline).to.include('Back at six').and.to.include('"is_online": true');
      await webHook(offline).expect(200);
      expect(await shown()).to.deep.equal({ song: NOTHING, history: [ALUKO_PLAYED, ...EARLIER] });
    });

    it('takes a whole evening from a DJ who came and left', async () => {
      for (const name of ['autodj-normal', 'next-song', 'live-dj-no-metadata', 'live-dj-with-metadata'])
        await webHook(file(`built-${name}.json`)).expect(200);
      expect(await shown()).to.deep.equal({
        song: NATIVE['built-live-dj-with-metadata.json']?.song,
        history: [
          ' - Live Broadcast, 2021-01-01T06:06:40.000Z',
          'Cochise - GRIND, 2021-01-01T06:03:00.000Z',
          ALUKO_PLAYED,
        ],
      });
    });
  });

  describe("AzuraCast's directory connector, unchanged, in every version", () => {
    it('has an expectation for every fixture', () => {
      const files = readdirSync(`${FIXTURES}/azuracast-radioreg`).filter((name) => name.endsWith('.json'));
      expect(Object.keys(DIRECTORY_CONNECTOR).sort()).to.deep.equal(files.sort());
    });

    for (const [name, song] of Object.entries(DIRECTORY_CONNECTOR))
      it(`shows what ${name} says, and that it is the same when it comes again`, async () => {
        const text = readFileSync(`${FIXTURES}/azuracast-radioreg/${name}`, 'utf8');
        const request = JSON.parse(text) as Request & { readonly path: string };
        const [, query] = request.path.split('?');
        for (const message of [
          song === NOTHING ? 'Stream unchanged' : 'Stream updated',
          'Stream unchanged',
        ]) {
          const answer = await send(request, query === undefined ? '' : `?${query}`).expect(200);
          expect(answer.body).to.deep.equal({ message });
          expect(await shown()).to.deep.equal({ song, history: [] });
        }
      });

    it('silences the stream at v3-offline-remote-only.json, and changes nothing at v3-now-playing-null.json', async () => {
      const request = (name: string) =>
        JSON.parse(readFileSync(`${FIXTURES}/azuracast-radioreg/${name}.json`, 'utf8')) as Request;
      await send(request('v3-0.23.7-with-art'), '').expect(200);
      await send(request('v3-now-playing-null'), '').expect(200);
      expect((await shown()).song).to.deep.equal({ ...ALUKO, next: GRIND });
      await send(request('v3-offline-remote-only'), '').expect(200);
      expect(await shown()).to.deep.equal({ song: NOTHING, history: [ALUKO_PLAYED] });
    });
  });

  describe('The other systems', () => {
    const examples = JSON.parse(
      readFileSync(`${FIXTURES}/other-systems/ingest-examples.json`, 'utf8'),
    ) as readonly (Request & { readonly system: string; readonly url: string })[];
    const typeOf = ({ body, headers }: Request) =>
      body !== null && headers['Content-Type'] === undefined ? 'application/json' : undefined;

    it('have an expectation each', () => {
      expect(Object.keys(OTHER_SYSTEMS).sort()).to.deep.equal(examples.map(({ system }) => system).sort());
    });

    for (const example of examples)
      it(`show what ${example.system} says, sent by POST`, async () => {
        const song = OTHER_SYSTEMS[example.system];
        const answer = await send(example, new URL(example.url).search, typeOf(example)).expect(200);
        expect(answer.body).to.deep.equal({
          message: song === NOTHING ? 'Stream unchanged' : 'Stream updated',
        });
        expect(await shown()).to.deep.equal({ song, history: [] });
      });

    it('are told 415 where they name no media type for a body', async () => {
      for (const example of examples.filter((one) => typeOf(one) !== undefined))
        await send(example, '').expect(415);
      expect(await shown()).to.deep.equal(UNTOUCHED);
    });

    it('are told 405 where they send GET as to other receivers', async () => {
      for (const { url } of examples.filter(({ method }) => method === 'GET')) {
        const refused = await service.http
          .get(`/stream/update/${stream.uuid}${new URL(url).search}`)
          .set('Authorization', basic());
        expect(refused.status).to.equal(405);
        expect(refused.headers['allow']).to.equal('POST, OPTIONS');
      }
      expect(await shown()).to.deep.equal(UNTOUCHED);
    });
  });
});
