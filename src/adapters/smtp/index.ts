export { FileMailer, type FileMailerOptions, type WrittenMail } from './file-mailer.js';
export type { MailOrigin } from './mail-messages.js';
export { SmtpMailer, type SmtpOptions } from './smtp-mailer.js';
