/** Rows by ascending id. No two rows share an id or a unique key; rows are replaced, never changed. */
export class Table<Id extends number, Row extends { readonly id: Id }> {
  readonly #rows = new Map<Id, Row>();
  readonly #idByKey = new Map<string, Id>();
  readonly #keysOf: (row: Row) => readonly string[];
  #lastId = 0;

  /** @param keysOf what no other row may have; a row can be found by each of them */
  constructor(keysOf: (row: Row) => readonly string[]) {
    this.#keysOf = keysOf;
  }

  /** An id that no row ever had. */
  nextId(): Id {
    this.#lastId += 1;
    return this.#lastId as Id;
  }

  get(id: Id): Row | undefined {
    return this.#rows.get(id);
  }

  withKey(key: string): Row | undefined {
    const id = this.#idByKey.get(key);
    return id === undefined ? undefined : this.#rows.get(id);
  }

  all(): Row[] {
    return [...this.#rows.values()];
  }

  /** Adds a row under an id from {@link nextId}, or replaces the one that has its id. */
  put(row: Row): void {
    const keys = this.#keysOf(row);
    const taken = keys.find((key) => (this.#idByKey.get(key) ?? row.id) !== row.id);
    if (taken !== undefined) throw new Error(`Another row has the unique key '${taken}'.`);
    const before = this.#rows.get(row.id);
    if (before) this.#forgetKeys(before);
    for (const key of keys) this.#idByKey.set(key, row.id);
    this.#rows.set(row.id, row);
  }

  remove(id: Id): boolean {
    const row = this.#rows.get(id);
    if (!row) return false;
    this.#forgetKeys(row);
    return this.#rows.delete(id);
  }

  #forgetKeys(row: Row): void {
    for (const key of this.#keysOf(row)) this.#idByKey.delete(key);
  }
}
