import { inspect } from 'node:util'

/** The forms in which a text may hold a secret, by name. */
const forms: Readonly<Record<string, (secret: string) => string>> = {
  'as it is': secret => secret,
  'its first 8 characters': secret => secret.slice(0, 8),
  'its last 8 characters': secret => secret.slice(-8),
  'percent-encoded': secret => encodeURIComponent(secret),
  'percent-encoded throughout': secret => hex(secret, '%'),
  'in JSON': secret => JSON.stringify(secret).slice(1, -1),
  'in escapes of JSON': secret => hex(secret, '\\u00'),
  'in base64': secret => core(secret, 0),
  'in base64 after one byte': secret => core(secret, 1),
  'in base64 after two bytes': secret => core(secret, 2),
  'its first 8 characters in base64': secret => core(secret.slice(0, 8), 0),
  'in hexadecimal digits': secret => hex(secret, ''),
}

/** Where a text holds a secret, the forms in which it does. */
export function tracesOf(secret: string, text: string): string[] {
  const lower = text.toLowerCase()
  return Object.entries(forms).flatMap(([name, form]) =>
    lower.includes(form(secret).toLowerCase()) ? name : [],
  )
}

/** A value as loggers print it: `console.log`, JSON, and those that follow an error's causes and fields. */
export function printed(value: unknown): string {
  return [inspect(value, { depth: 30, maxStringLength: null }), json(value), json(serialized(value))].join(
    '\n',
  )
}

function json(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) => (typeof part === 'bigint' ? String(part) : part)) ?? ''
}

/** As the serializers of pino and its like do it: message, stack, causes, and every field that can be enumerated. */
function serialized(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(serialized)
  const fields: Record<string, unknown> = {}
  for (const name in value) fields[name] = serialized((value as Record<string, unknown>)[name])
  if (!(value instanceof Error)) return fields
  const { name, message, stack, cause } = value
  const { errors } = value as { errors?: unknown }
  return { ...fields, name, message, stack, cause: serialized(cause), errors: serialized(errors) }
}

function hex(text: string, before: string): string {
  return [...new TextEncoder().encode(text)].map(byte => before + byte.toString(16).padStart(2, '0')).join('')
}

/** The letters of base64 that are the text's own, where `before` other bytes stand in front of it. */
function core(text: string, before: number): string {
  const encoded = Buffer.concat([Buffer.alloc(before), Buffer.from(text)]).toString('base64')
  const own = Math.floor(((before + Buffer.byteLength(text)) * 4) / 3)
  return encoded.slice(Math.ceil((before * 4) / 3), own)
}
