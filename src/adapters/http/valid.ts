import type { Request } from 'express';
import Joi from 'joi';
import { MAX_ID, parseId } from '../../domain/ids.js';
import { isStorable } from '../../domain/text.js';

/** Input that no endpoint can use. The message is one sentence that a developer can act on; it never holds the input. */
export class BadRequest extends Error {
  readonly status = 400;
}

const VALIDATION: Joi.ValidationOptions = {
  abortEarly: false,
  allowUnknown: true,
  convert: false,
  errors: { wrap: { label: false, array: false } },
  messages: { 'string.empty': '{{#label}} must not be empty' },
};

/** The value, typed, if the schema allows it. */
export function valid<T>(schema: Joi.ObjectSchema<T>, input: unknown): T {
  const validation = schema.validate(input, VALIDATION);
  if (validation.error) {
    const problems = validation.error.details.map((detail) => detail.message);
    throw new BadRequest(`${problems.join('; ')}.`);
  }
  return validation.value;
}

/** Any text that can be stored. */
export function text(): Joi.StringSchema {
  return Joi.string().custom((value: string, helpers) =>
    isStorable(value)
      ? value
      : helpers.message({ custom: '{{#label}} must hold no U+0000 and no lone surrogate' }),
  );
}

/** The text that stands in the path for `:name`. */
export function pathText(request: Request, name: string): string {
  const value = request.params[name];
  if (typeof value !== 'string') throw new Error(`The path of this endpoint has no :${name}.`);
  return value;
}

/** The id that stands in the path for `:id`. */
export function pathId<Id extends number>(request: Request): Id {
  const id = parseId(pathText(request, 'id'));
  if (id === null) throw new BadRequest(`id must be an integer from 1 to ${MAX_ID}.`);
  return id as Id;
}
