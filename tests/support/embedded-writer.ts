import { openEmbeddedDatabase } from '../../src/adapters/postgres/embedded-database.js';
import { PostgresDatabase } from '../../src/adapters/postgres/postgres-database.js';

/** A process of its own that owns the embedded database in its first argument, and says which rows it has stored. */
const embedded = await openEmbeddedDatabase(process.argv[2] ?? '', { role: 'owner' });
const db = new PostgresDatabase(embedded.connection);
await db.rows('create table if not exists acknowledged (n integer primary key)');
process.stdout.write('open\n');
const [last] = await db.rows<{ n: number }>('select coalesce(max(n), 0) as n from acknowledged');
for (let n = (last?.n ?? 0) + 1; ; n += 1) {
  await db.rows('insert into acknowledged values ($1)', [n]);
  process.stdout.write(`${n}\n`);
}
