import type { InvalidEmail, InvalidUsername, PasswordRule, WeakPassword } from '../../domain/credentials.js';
import { MAX_PASSWORD_BYTES } from '../../domain/credentials.js';

export type BrokenRule = InvalidEmail | InvalidUsername | WeakPassword;

const PASSWORD_RULES: Record<PasswordRule, string> = {
  length: 'be at least 8 characters long',
  'upper-case': 'hold an upper-case letter',
  number: 'hold a number',
  special: 'hold a special character',
  storable: 'hold no U+0000 and no lone surrogate',
  'too-long': `be at most ${MAX_PASSWORD_BYTES} bytes of UTF-8`,
};

const enumeration = new Intl.ListFormat('en', { type: 'conjunction' });

/** The broken rule as part of a sentence that names the field and never its value. */
export function ruleOf(problem: BrokenRule): string {
  switch (problem.kind) {
    case 'invalid-email':
      return 'email must be one email address of at most 254 ASCII characters';
    case 'invalid-username':
      return 'username must be 1 to 64 characters without control, format or ill-formed ones';
    case 'weak-password':
      return `password must ${enumeration.format(problem.broken.map((rule) => PASSWORD_RULES[rule]))}`;
  }
}
