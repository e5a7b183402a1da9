import { randomUUID } from 'node:crypto';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createTransport } from 'nodemailer';
import type { Mail, Mailer } from '../../application/ports/mailer.js';
import type { MailKind } from '../../domain/account.js';
import type { EmailAddress } from '../../domain/credentials.js';
import { type MailOrigin, composeMail, sender } from './mail-messages.js';

/** A mail that now lies in the folder. */
export interface WrittenMail {
  /** Full path. */
  readonly file: string;
  readonly kind: MailKind;
  readonly to: EmailAddress;
}

export interface FileMailerOptions extends MailOrigin {
  readonly folder: string;
  /** Told after each mail, so that somebody can find it. */
  readonly announce: (written: WrittenMail) => void;
}

/** For a service without an SMTP server: each mail becomes `<id>.eml`, readable by its owner only. */
export class FileMailer implements Mailer {
  readonly #options: FileMailerOptions;
  readonly #transport = createTransport({ streamTransport: true, buffer: true, newline: 'unix' });

  /** @throws where `from` is no address */
  constructor(options: FileMailerOptions) {
    sender(options.from);
    this.#options = options;
  }

  /** A retry of the same mail replaces its file. A reader finds the whole mail or none. */
  async send(mail: Mail): Promise<void> {
    if (!/^[\w-]+$/.test(mail.id)) throw new Error('This mail id cannot be a file name.');
    const { folder, announce } = this.#options;
    const composed = composeMail(mail, this.#options);
    const text = legible('plain', composed.text);
    const html = legible('html', composed.html);
    const { message } = await this.#transport.sendMail({ ...composed, text, html });
    const file = join(folder, `${mail.id}.eml`);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await replaceFile(file, message as Buffer);
    announce({ file, kind: mail.kind, to: mail.to });
  }
}

/** A part with its lines as they are: nodemailer's quoted-printable would break the links that people copy from the file. */
function legible(type: 'plain' | 'html', content: string): { raw: string } {
  return { raw: `Content-Type: text/${type}; charset=utf-8\nContent-Transfer-Encoding: 8bit\n\n${content}` };
}

async function replaceFile(file: string, content: Buffer): Promise<void> {
  const temporary = `${file}.${randomUUID()}.part`;
  try {
    const handle = await open(temporary, 'wx', 0o600);
    try {
      await handle.writeFile(content);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}
