import { expect } from 'chai';
import { Table } from '../../src/adapters/in-memory/table.js';

interface Row {
  readonly id: number;
  readonly names: readonly string[];
}

function tableOf(...rows: readonly (readonly string[])[]): Table<number, Row> {
  const table = new Table<number, Row>((row) => row.names);
  for (const names of rows) table.put({ id: table.nextId(), names });
  return table;
}

describe('Table', () => {
  it('refuses a row with a key of another, and stays as it was', () => {
    const table = tableOf(['anna'], ['ben']);
    expect(() => table.put({ id: 2, names: ['zoe', 'anna'] })).to.throw("the unique key 'anna'");
    expect(table.withKey('zoe')).to.equal(undefined);
    expect(table.withKey('ben')).to.deep.equal({ id: 2, names: ['ben'] });
    expect(table.withKey('anna')).to.deep.equal({ id: 1, names: ['anna'] });
  });

  it('frees the keys that a replaced or removed row had', () => {
    const table = tableOf(['anna'], ['ben']);
    table.put({ id: 1, names: ['zoe'] });
    expect(table.remove(2)).to.equal(true);
    table.put({ id: table.nextId(), names: ['anna', 'ben'] });
    expect(table.withKey('anna')?.id).to.equal(3);
    expect(table.remove(2)).to.equal(false);
  });

  it('keeps the order of ids when rows are replaced, and uses no id twice', () => {
    const table = tableOf(['anna'], ['ben'], ['zoe']);
    table.put({ id: 1, names: ['anne'] });
    table.remove(3);
    table.put({ id: table.nextId(), names: ['zoe'] });
    expect(table.all().map((row) => row.id)).to.deep.equal([1, 2, 4]);
  });
});
