import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { PostgresDatabase } from '../../src/adapters/postgres/postgres-database.js';
import { Replication } from '../../src/adapters/postgres/replication.js';

/** Nobody listens there. */
class AbsentDatabase extends PostgresDatabase {
  questions = 0;

  constructor() {
    super({ url: 'postgres://postgres@127.0.0.1:1/postgres' });
  }

  override rows<Row>(...statement: Parameters<PostgresDatabase['rows']>): Promise<Row[]> {
    this.questions += 1;
    return super.rows<Row>(...statement);
  }
}

describe('The watch over a replica', () => {
  it('asks both servers over and over until it is stopped', async () => {
    const [primary, replica] = [new AbsentDatabase(), new AbsentDatabase()];
    const replication = new Replication(primary, replica, () => {}).start();
    while (replica.questions < 3) await pause(10);
    replication.stop();
    const asked = primary.questions;
    await pause(600);
    expect(primary.questions).to.equal(asked);
    for (const database of [primary, replica]) await database.close();
  });
});
