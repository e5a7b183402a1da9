import type { SendMailOptions } from 'nodemailer';
import type { Mail } from '../../application/ports/mailer.js';
import type { MailKind } from '../../domain/account.js';
import { HOUR } from '../../domain/ids.js';
import { TOKEN_LIFETIME, type TokenPurpose } from '../../domain/one-time-token.js';

/** Who writes the mails and where their links lead. */
export interface MailOrigin {
  /** `radio@example.com` or `Radio <radio@example.com>` */
  readonly from: string;
  /** Base of the links: the public address of the API, with or without a final slash. */
  readonly publicUrl: string;
}

/** What stands in a mail, before it is text or HTML. */
interface Content {
  readonly subject: string;
  readonly parts: readonly Part[];
}
type Part =
  | { readonly kind: 'paragraph'; readonly text: string }
  | { readonly kind: 'link'; readonly url: string }
  /** A line to paste into a terminal: the API takes no plain GET for these links. */
  | { readonly kind: 'command'; readonly line: string };

const paragraph = (text: string): Part => ({ kind: 'paragraph', text });
const link = (url: string): Part => ({ kind: 'link', url });
const command = (line: string): Part => ({ kind: 'command', line });

const CONTENT: Record<MailKind, (mail: Mail, base: string) => Content> = {
  activation: (mail, base) => {
    const activate = `${base}/user/activate/${tokenOf(mail)}`;
    return {
      subject: 'Activate your account',
      parts: [
        paragraph('Welcome! Somebody, hopefully you, registered with this email address.'),
        paragraph(`This link activates your account. It is valid for ${validity('activation')}:`),
        link(activate),
        paragraph('No website at hand? Paste this line into a terminal:'),
        command(`curl -X POST ${activate}`),
        paragraph('That was not you? Then this line deletes the account:'),
        command(`curl -X DELETE ${base}/user/verify/${tokenOf(mail)}`),
      ],
    };
  },
  reset: (mail, base) => {
    const reset = `${base}/user/resetPassword/${tokenOf(mail)}`;
    return {
      subject: 'Choose a new password',
      parts: [
        paragraph('Somebody, hopefully you, asked for a new password for your account.'),
        paragraph(`This link sets it. It is valid for ${validity('reset')} and works once:`),
        link(reset),
        paragraph('No website at hand? Paste this line into a terminal, with your new password in it:'),
        command(`curl -X PUT ${reset} ${jsonBody('password', 'NEW PASSWORD')}`),
        paragraph('That was not you? Then ignore this mail: your password stays as it is.'),
      ],
    };
  },
  'password-changed': (_mail, base) => ({
    subject: 'Your password was changed',
    parts: [
      paragraph('The password of your account was changed just now, and every login before that has ended.'),
      paragraph('That was you? Then all is well. If not, ask for a new password at once:'),
      command(`curl -X POST ${base}/user/requestPasswordChange ${jsonBody('email', 'YOUR EMAIL ADDRESS')}`),
    ],
  }),
};

export interface ComposedMail extends SendMailOptions {
  readonly text: string;
  readonly html: string;
}

/** The whole mail as nodemailer takes it. Its one recipient is an object: nothing in the address is parsed as a list. */
export function composeMail(mail: Mail, origin: MailOrigin): ComposedMail {
  const from = sender(origin.from);
  const { subject, parts } = CONTENT[mail.kind](mail, origin.publicUrl.replace(/\/+$/, ''));
  const greeted = [paragraph(greeting(mail.username)), ...parts];
  return {
    from,
    to: { address: mail.to },
    messageId: `<${mail.id}@${from.address.slice(from.address.lastIndexOf('@') + 1)}>`,
    subject,
    text: greeted.map(asText).join('\n\n') + '\n',
    html: page(subject, greeted.map(asHtml).join('\n')),
    // Keeps holiday notices and the like from answering. (RFC 3834)
    headers: { 'Auto-Submitted': 'auto-generated' },
    xMailer: false,
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

/** @throws where the text is no address */
export function sender(from: string): { readonly name: string; readonly address: string } {
  const [, name = '', address] = /^(?:([^<>\r\n]*)<)?([^\s<>@,]+@[^\s<>@,]+)>?$/.exec(from.trim()) ?? [];
  if (address === undefined) throw new Error(`Mails cannot be sent from '${from}'.`);
  return { name: name.trim().replaceAll('"', ''), address };
}

function tokenOf(mail: Mail): string {
  if (mail.token === null) throw new Error(`A mail of the kind '${mail.kind}' needs a token.`);
  return encodeURIComponent(mail.token);
}

function validity(purpose: TokenPurpose): string {
  const hours = TOKEN_LIFETIME[purpose] / HOUR;
  return hours === 1 ? '1 hour' : `${hours} hours`;
}

function jsonBody(field: string, placeholder: string): string {
  return `-H 'Content-Type: application/json' -d '{"${field}":"${placeholder}"}'`;
}

/** Anybody can register a stranger's address: a name that mail programs would turn into a link is not repeated. */
function greeting(username: string): string {
  return /:\/\/|www\.|[\p{L}\p{N}]\.\p{L}{2}/iu.test(username) ? 'Hello,' : `Hello ${username},`;
}

function asText(part: Part): string {
  if (part.kind === 'paragraph') return part.text;
  return `  ${part.kind === 'link' ? part.url : part.line}`;
}

function asHtml(part: Part): string {
  switch (part.kind) {
    case 'paragraph':
      return `<p style="margin:16px 0">${escapeHtml(part.text)}</p>`;
    case 'link': {
      const url = escapeHtml(part.url);
      return `<p style="margin:16px 0"><a href="${url}" style="color:#1d4ed8;word-break:break-all">${url}</a></p>`;
    }
    case 'command':
      return `<pre style="margin:16px 0;padding:12px;background:#f3f4f6;color:#111827;border-radius:6px;font:13px/1.5 Consolas,Menlo,monospace;white-space:pre-wrap;word-break:break-all">${escapeHtml(part.line)}</pre>`;
  }
}

function page(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escapeHtml(title)}</title>
</head>
<body style="margin:0;padding:0;background:#ffffff">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0"><tr><td align="center" style="padding:24px">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="max-width:560px"><tr><td style="font:16px/1.5 Arial,Helvetica,sans-serif;color:#111827;text-align:left">
<h1 style="margin:0 0 16px;font-size:22px;line-height:1.3">${escapeHtml(title)}</h1>
${body}
</td></tr></table>
</td></tr></table>
</body>
</html>
`;
}

function escapeHtml(text: string): string {
  const entities: Record<string, string> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
    "'": '&#39;',
  };
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? '');
}
