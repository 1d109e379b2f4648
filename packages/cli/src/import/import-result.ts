import { stringify } from 'yaml'
import type { Config } from '../config/config.ts'

/** Something of a foreign configuration that is not in ours. It names the place and never the value. */
export interface UnsupportedSetting {
  /** Where it stands: `model_list[0].litellm_params.tags`. */
  readonly path: string
  readonly why: string
  /** What to do instead. */
  readonly fix: string
}

/** A variable of the environment that the configuration reads and that has to be set. */
export interface ExtractedSecret {
  readonly name: string
  /** Where its value stood. */
  readonly path: string
}

/** The result of importing a configuration. */
export interface ImportResult {
  readonly config: Config
  /** What has no equivalent. Each leaf of the input was read, or stands here, by its own path or that of what holds it. */
  readonly unsupported: readonly UnsupportedSetting[]
  /** What was carried and behaves in another way. */
  readonly notes: readonly string[]
  /** Secrets that stood in the file as text. */
  readonly secrets: readonly ExtractedSecret[]
}

/** What a person has to know of an import, beside the configuration. */
export function reportText({ unsupported, notes, secrets }: ImportResult): string {
  return [
    ...section(
      'No equivalent',
      unsupported.map(({ path, why, fix }) => `${path}\n    ${why} ${fix}`),
    ),
    ...section('Different behaviour', notes),
    ...section(
      'Secrets found in the file: set these variables',
      secrets.map(({ name, path }) => `${name}, from ${path}`),
    ),
  ].join('\n')
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [`${title}:`, ...lines.map(line => `  ${line}`), '']
}

export type ConfigFormat = 'yaml' | 'json' | 'ts'

/** A configuration as the text of a file. It is data: nothing of it is run. */
export function serializeConfig(config: Config, format: ConfigFormat): string {
  if (format === 'yaml') return stringify(config, { lineWidth: 110, aliasDuplicateObjects: false })
  if (format === 'json') return `${JSON.stringify(config, null, 2)}\n`
  return `import { defineConfig } from 'sluice'\n\nexport default defineConfig(${asCode(config, '')})\n`
}

const plainName = /^[A-Za-z_]\w*$/

/** JSON as people write it in TypeScript: names and texts without more quotes than they need. */
function asCode(value: unknown, indent: string): string {
  if (typeof value === 'string') return quoted(value)
  if (typeof value !== 'object' || value === null) return String(JSON.stringify(value))
  const inner = `${indent}  `
  const isList = Array.isArray(value)
  const lines = isList
    ? value.map(item => `${inner}${asCode(item, inner)},`)
    : Object.entries(value).map(([name, item]) => `${inner}${key(name)}: ${asCode(item, inner)},`)
  const [open, close] = isList ? ['[', ']'] : ['{', '}']
  return lines.length === 0 ? `${open}${close}` : [open, ...lines, `${indent}${close}`].join('\n')
}

function key(name: string): string {
  // Written plainly it would set the prototype.
  if (name === '__proto__') return "['__proto__']"
  return plainName.test(name) ? name : quoted(name)
}

function quoted(text: string): string {
  const escaped = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")
  return `'${escaped}'`
}
