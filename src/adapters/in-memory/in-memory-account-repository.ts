import type {
  AccountNotFound,
  AccountRepository,
  AccountSelector,
  ListedAccount,
  UsernameOrEmailTaken,
} from '../../application/ports/account-repository.js';
import {
  type Account,
  type AccountChange,
  type NewAccount,
  isAbandoned,
  register,
} from '../../domain/account.js';
import { usernameKey } from '../../domain/credentials.js';
import type { UserId } from '../../domain/ids.js';
import { type Result, err, ok } from '../../domain/result.js';
import { type InMemoryDatabase, accountKey } from './in-memory-database.js';

/** No `await` between read and write, so no two changes can interleave. */
export class InMemoryAccountRepository implements AccountRepository {
  constructor(private readonly db: InMemoryDatabase) {}

  async register(account: NewAccount): Promise<Result<UserId, UsernameOrEmailTaken>> {
    const { accounts } = this.db;
    const inTheWay = [
      accounts.withKey(accountKey.email(account.email)),
      accounts.withKey(accountKey.username(usernameKey(account.username))),
    ].filter((found) => found !== undefined);
    if (!inTheWay.every((found) => isAbandoned(found, account.registeredAt)))
      return err({ kind: 'username-or-email-taken' });
    for (const { id } of inTheWay) this.db.removeAccount(id);
    const registered = register(accounts.nextId(), account);
    const user = registered.account.id;
    accounts.put(registered.account);
    this.db.owe(user, registered);
    return ok(user);
  }

  async find(selector: AccountSelector): Promise<Account | null> {
    return this.#find(selector) ?? null;
  }

  async list(): Promise<readonly ListedAccount[]> {
    return this.db.accounts.all().map((account) => ({
      id: account.id,
      username: account.username,
      email: account.email,
      state: account.state,
      registeredAt: account.registeredAt,
      activatedAt: account.state === 'activated' ? account.activatedAt : null,
    }));
  }

  async update<A extends Account | null, E>(
    selector: AccountSelector,
    decide: (account: Account) => Result<AccountChange<A>, E>,
  ): Promise<Result<A, E | AccountNotFound>> {
    const before = this.#find(selector);
    if (!before) return err({ kind: 'account-not-found' });
    const decided = decide(before);
    if (!decided.ok) return decided;
    const { account } = decided.value;
    if (account === null) this.db.removeAccount(before.id);
    else {
      this.db.accounts.put(account);
      this.db.owe(account.id, decided.value);
    }
    return ok(account);
  }

  #find(selector: AccountSelector): Account | undefined {
    const { accounts } = this.db;
    if ('id' in selector) return accounts.get(selector.id);
    if ('email' in selector) return accounts.withKey(accountKey.email(selector.email));
    return accounts.withKey(accountKey.token(selector.purpose, selector.token));
  }
}
