import { expect } from 'chai';
import { DEFAULT_IMAGE } from '../../src/domain/organization.js';
import { type HttpService, httpService } from '../support/http-service.js';
import { type WireError, type WireStream, json } from '../support/wire.js';

const NOT_FOUND = { statusCode: 404, message: 'Not Found' };
const BAD_ID = { statusCode: 400, message: 'id must be an integer from 1 to 2147483647.' };
const NOVA = {
  name: 'Radio Nova',
  description: 'Music and news',
  image: 'https://nova.example/logo.png',
  thumbnail: 'https://nova.example/thumb.png',
  links: [
    { type: 'website', url: 'https://nova.example/' },
    { type: 'email', url: 'mailto:hello@nova.example' },
  ],
};

describe('Organizations over HTTP', () => {
  let service: HttpService;
  beforeEach(() => {
    service = httpService();
  });

  it('lists organizations with links and streams, exactly as specified, by ascending id', async () => {
    const nova = await service.addOrganization(NOVA);
    const plain = await service.addOrganization({ name: 'Plain', description: '' });
    const stream = await service.addStream(nova, { name: 'Jazz', url: 'https://nova.example/jazz' });
    await service.addStream(nova, { isEnabled: false });
    await service.addOrganization({ isPublic: false });
    await service.addOrganization({ isActive: false });
    const response = await service.http.get('/organization').expect(200);
    expect(response.text).to.equal(
      JSON.stringify([
        {
          id: nova,
          name: NOVA.name,
          description: NOVA.description,
          image: NOVA.image,
          thumbnail: NOVA.thumbnail,
          links: NOVA.links,
          streams: [{ id: stream.id, name: 'Jazz', url: 'https://nova.example/jazz' }],
        },
        {
          id: plain,
          name: 'Plain',
          description: '',
          image: DEFAULT_IMAGE,
          thumbnail: DEFAULT_IMAGE,
          links: [],
          streams: [],
        },
      ]),
    );
  });

  it('shows one organization with links and without streams', async () => {
    const id = await service.addOrganization(NOVA);
    const { name, description, image, thumbnail, links } = NOVA;
    const response = await service.http.get(`/organization/${id}`).expect(200);
    expect(response.text).to.equal(JSON.stringify({ id, name, description, image, thumbnail, links }));
  });

  it('finds an organization by name, whatever its case, blanks around it and normal form', async () => {
    const id = await service.addOrganization({ ...NOVA, name: 'Café Nova/Süd' });
    for (const name of ['Café Nova/Süd', 'CAFÉ NOVA/SÜD', ' cafe\u0301 nova/su\u0308d ']) {
      const response = await service.http.get(`/organization/name/${encodeURIComponent(name)}`).expect(200);
      expect(Object.keys(response.body as object)).to.deep.equal([
        ...['id', 'name', 'description', 'image', 'thumbnail', 'links'],
      ]);
      expect(response.body).to.include({ id, name: 'Café Nova/Süd' });
    }
  });

  it('finds only whole names of listed organizations', async () => {
    await service.addOrganization({ name: 'Radio Nova' });
    await service.addOrganization({ name: 'Secret', isPublic: false });
    for (const name of ['Radio', 'Radio%20Nova%20', 'Secret', '%25', '*', 'name']) {
      const response = await service.http.get(`/organization/name/${name}`);
      expect(response.status, name).to.equal(name === 'Radio%20Nova%20' ? 200 : 404);
      if (response.status === 404) expect(response.body).to.deep.equal(NOT_FOUND);
    }
  });

  for (const name of ['%00', 'a%00b', '%07', '%C2%85', '%0D%0A', '%FF', '%E0%A4%A', '%'])
    it(`refuses the name ${name}`, async () => {
      const response = await service.http.get(`/organization/name/${name}`).expect(400);
      expect(Object.keys(response.body as object)).to.deep.equal(['statusCode', 'message']);
      expect(json<WireError>(response).message).to.match(/^(name|The path) [^;]+\.$/);
    });

  it('draws random organizations without repeats, without links, at most what exists', async () => {
    const ids = [];
    for (let count = 0; count < 5; count += 1) ids.push(await service.addOrganization());
    await service.addOrganization({ isActive: false });
    const some = await service.http.get('/organization/limit/3').expect(200);
    expect(some.body).to.have.length(3);
    expect(Object.keys(json<object[]>(some)[0] ?? {})).to.deep.equal([
      'id',
      'name',
      'description',
      'image',
      'thumbnail',
    ]);
    const all = await service.http.get('/organization/limit/100').expect(200);
    expect(json<{ id: number }[]>(all).map(({ id }) => id))
      .to.have.members(ids)
      .and.have.length(5);
  });

  for (const limit of ['0', '101', '-1', '1.5', 'ten', '2147483648', '%00'])
    it(`refuses the limit ${limit}`, async () => {
      const response = await service.http.get(`/organization/limit/${limit}`).expect(400);
      expect(response.body).to.deep.equal({
        statusCode: 400,
        message: 'limit must be an integer from 1 to 100.',
      });
    });

  it('lists the active streams of one organization', async () => {
    const id = await service.addOrganization();
    const stream = await service.addStream(id);
    await service.addStream(id, { isEnabled: false });
    await service.addStream(await service.addOrganization());
    const listed = await service.http.get('/stream').expect(200);
    const response = await service.http.get(`/organization/${id}/streams`).expect(200);
    expect(response.body).to.deep.equal(json<WireStream[]>(listed).slice(0, 1));
    expect(json<WireStream[]>(response)[0]?.id).to.equal(stream.id);
  });

  for (const leaf of ['', '/streams']) {
    it(`/organization/:id${leaf} knows no organization that does not exist or is not listed`, async () => {
      const hidden = await service.addOrganization({ isPublic: false });
      for (const id of [hidden, 4_711, 2_147_483_647]) {
        const response = await service.http.get(`/organization/${id}${leaf}`).expect(404);
        expect(response.body).to.deep.equal(NOT_FOUND);
      }
    });

    it(`/organization/:id${leaf} refuses what is no id`, async () => {
      for (const id of ['0', '-1', '01', '1.0', '2147483648', 'x', '%00', 'name', 'limit']) {
        const response = await service.http.get(`/organization/${id}${leaf}`);
        // `/organization/name/streams` asks for an organization of that name.
        if (leaf !== '' && id === 'name') expect(response.status).to.equal(404);
        else if (leaf !== '' && id === 'limit') expect(response.status).to.equal(400);
        else expect(response.body, id).to.deep.equal(BAD_ID);
      }
    });
  }

  describe('GET /organization/:id/token/streams/details', () => {
    it('tells the organization its streams with their webhook UUIDs, in all three header forms', async () => {
      const id = await service.addOrganization({ isPublic: false });
      const token = await service.addToken(id);
      const fields = { name: 'Jazz', url: 'https://nova.example/jazz', isEnabled: false };
      const stream = await service.addStream(id, fields);
      const forms: Record<string, string>[] = [
        { Authorization: `Bearer ${token}` },
        { 'X-API-KEY': token },
        { Authorization: `Basic ${Buffer.from(`any:${token}`).toString('base64')}` },
      ];
      for (const headers of forms) {
        const response = await service.http
          .get(`/organization/${id}/token/streams/details`)
          .set(headers)
          .expect(200);
        expect(response.text).to.equal(
          JSON.stringify([{ id: stream.id, name: fields.name, url: fields.url, streamUUID: stream.uuid }]),
        );
        expect(response.headers['cache-control']).to.equal('no-store');
      }
    });

    it('asks for credentials first, then for a valid id of its own organization', async () => {
      const own = await service.addOrganization();
      const other = await service.addOrganization();
      const token = await service.addToken(own);
      const ask = (id: string | number) => service.http.get(`/organization/${id}/token/streams/details`);
      const none = await ask('nonsense').expect(401);
      expect(none.headers['www-authenticate']).to.equal('Bearer');
      const jwt = await ask(own)
        .auth(await service.aJwt(), { type: 'bearer' })
        .expect(401);
      expect(jwt.headers['www-authenticate']).to.equal('Bearer error="invalid_token"');
      const malformed = await ask('0').auth(token, { type: 'bearer' }).expect(400);
      expect(malformed.body).to.deep.equal(BAD_ID);
      for (const id of [other, 4_711]) {
        const response = await ask(id).auth(token, { type: 'bearer' }).expect(403);
        expect(response.body).to.deep.equal({ statusCode: 403, message: 'Forbidden' });
      }
    });
  });
});
