import { expect } from 'chai';
import { InMemoryDatabase } from '../../src/adapters/in-memory/in-memory-database.js';
import { InMemoryOrganizationRepository } from '../../src/adapters/in-memory/in-memory-organization-repository.js';
import { RandomSecrets } from '../../src/adapters/node/random-secrets.js';
import { IdentifySender } from '../../src/application/now-playing.js';
import { AddOrganization, AddStream, IssueOrganizationToken } from '../../src/application/organizations.js';
import type { OrganizationId } from '../../src/domain/ids.js';
import { anAddedOrganization, must } from '../support/builders.js';
import { ManualClock, START } from '../support/manual-clock.js';

describe('Keeping organizations', () => {
  const secrets = new RandomSecrets();
  const clock = new ManualClock();
  const UNKNOWN = 99 as OrganizationId;
  let organizations: InMemoryOrganizationRepository;
  beforeEach(() => {
    organizations = new InMemoryOrganizationRepository(new InMemoryDatabase());
  });

  it('adds an organization under its cleaned name, public and active unless told', async () => {
    const addOrganization = new AddOrganization(organizations, clock);
    const added = must(await addOrganization.execute({ name: '  Radio\tA ' }));
    expect(added).to.deep.equal({ id: added.id, name: 'Radio A' });
    expect(await organizations.find(added.id)).to.include({
      name: 'Radio A',
      isPublic: true,
      isActive: true,
    });
    const hidden = must(await addOrganization.execute({ name: 'B', isPublic: false, isActive: false }));
    expect(await organizations.find(hidden.id)).to.include({ isPublic: false, isActive: false });
  });

  it('refuses a name that is taken, in any case, and names every wrong field', async () => {
    const addOrganization = new AddOrganization(organizations, clock);
    must(await addOrganization.execute({ name: 'Radio A' }));
    expect(await addOrganization.execute({ name: 'RADIO a' })).to.deep.equal({
      ok: false,
      error: { kind: 'organization-name-taken' },
    });
    const refused = await addOrganization.execute({ name: ' ', image: 'x' });
    expect(refused.ok).to.be.false;
    if (!refused.ok && refused.error.kind === 'invalid-fields')
      expect(refused.error.fields.map(({ field }) => field)).to.have.members(['name', 'image']);
    expect(await organizations.list()).to.have.length(1);
  });

  it('adds a stream with a UUID of its own, and refuses wrong fields and unknown organizations', async () => {
    const addStream = new AddStream(organizations, secrets, clock);
    const organization = await anAddedOrganization(organizations);
    const fields = { name: 'Live', url: 'https://a.example/live', tags: ['jazz'] };
    const added = must(await addStream.execute(organization, fields));
    expect(added).to.deep.equal({ id: added.id, uuid: added.uuid, name: 'Live' });
    expect(added.uuid).to.match(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    expect(await organizations.findStream(added.id)).to.deep.include({
      ...fields,
      uuid: added.uuid,
      organization,
    });
    expect(await addStream.execute(UNKNOWN, fields)).to.deep.equal({
      ok: false,
      error: { kind: 'organization-not-found' },
    });
    expect((await addStream.execute(organization, { ...fields, url: 'x' })).ok).to.be.false;
    expect(await organizations.listStreams()).to.have.length(1);
  });

  it('issues tokens that identify their organization, and keeps only their hashes', async () => {
    const issueToken = new IssueOrganizationToken(organizations, secrets, clock);
    const identifySender = new IdentifySender(organizations, secrets);
    const organization = await anAddedOrganization(organizations);
    const first = must(await issueToken.execute(organization, ' studio\n1 '));
    const second = must(await issueToken.execute(organization, ''));

    expect(first.token)
      .to.match(/^rdo_[A-Za-z0-9_-]{43}$/)
      .and.not.equal(second.token);
    expect(await identifySender.execute(first.token)).to.deep.equal({ token: first.id, organization });
    const tokens = must(await organizations.listTokens(organization));
    expect(tokens).to.deep.equal([
      { id: first.id, label: 'studio 1', createdAt: START },
      { id: second.id, label: '', createdAt: START },
    ]);
  });

  it('issues no token to an unknown organization or under a label that is too long', async () => {
    const issueToken = new IssueOrganizationToken(organizations, secrets, clock);
    const organization = await anAddedOrganization(organizations);
    expect(await issueToken.execute(UNKNOWN, '')).to.deep.equal({
      ok: false,
      error: { kind: 'organization-not-found' },
    });
    expect(await issueToken.execute(organization, 'x'.repeat(101))).to.deep.equal({
      ok: false,
      error: { kind: 'invalid-fields', fields: [{ field: 'label', rule: 'must be at most 100 characters' }] },
    });
    expect(must(await organizations.listTokens(organization))).to.deep.equal([]);
  });
});
