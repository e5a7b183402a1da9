import { expect } from 'chai';
import { InMemoryDatabase } from '../../src/adapters/in-memory/in-memory-database.js';
import { InMemoryLoginFailures } from '../../src/adapters/in-memory/in-memory-login-failures.js';
import { MINUTE, later } from '../../src/domain/ids.js';
import { anEmail } from '../support/builders.js';
import { START } from '../support/manual-clock.js';

describe('InMemoryLoginFailures', () => {
  it('holds only emails that failed within the last hour, however many are made up', async () => {
    const db = new InMemoryDatabase();
    const failures = new InMemoryLoginFailures(db);
    for (let minute = 0; minute < 600; minute += 1) {
      await failures.count(anEmail(), later(START, minute * MINUTE));
      expect(db.loginFailures.size).to.be.at.most(60);
    }
  });
});
