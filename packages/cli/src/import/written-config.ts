import { stringify } from 'yaml'
import type { Config } from '../config/config.ts'

export type ConfigFormat = 'yaml' | 'json' | 'ts'

/** A configuration as the text of a file. It is data: nothing of it is run. */
export function writtenConfig(config: Config, format: ConfigFormat): string {
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
