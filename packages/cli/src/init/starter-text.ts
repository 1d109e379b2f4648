import { stringify } from 'yaml'
import type { StarterSection } from './starter-config.ts'

/** A configuration as a TypeScript module. */
export function typedText(sections: readonly StarterSection[]): string {
  const members = sections.map(
    ({ name, comment, value }) => `  // ${comment}\n  ${name}: ${literal(value, '  ')},\n`,
  )
  return `import { defineConfig } from 'sluice'\n\nexport default defineConfig({\n${members.join('\n')}})\n`
}

/** Data as people write it in TypeScript. */
function literal(value: unknown, indent: string): string {
  if (typeof value === 'string') return `'${value.replaceAll(/[\\']/g, '\\$&')}'`
  if (Array.isArray(value))
    return listed(
      '[',
      value.map(item => literal(item, `${indent}  `)),
      ']',
      indent,
    )
  if (typeof value !== 'object' || value === null) return String(value)
  const members = Object.entries(value).map(
    ([name, member]) => `${key(name)}: ${literal(member, `${indent}  `)}`,
  )
  return listed('{', members, '}', indent)
}

/** On one line where it is short and nothing in it has several. */
function listed(open: string, parts: readonly string[], close: string, indent: string): string {
  if (parts.length === 0) return open + close
  const line = open === '{' ? `{ ${parts.join(', ')} }` : `[${parts.join(', ')}]`
  if (line.length <= 80 && !line.includes('\n') && parts.length <= 3) return line
  return `${open}\n${parts.map(part => `${indent}  ${part},\n`).join('')}${indent}${close}`
}

function key(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : literal(name, '')
}

/** A configuration as YAML. */
export function yamlText(sections: readonly StarterSection[]): string {
  return sections
    .map(({ name, comment, value }) => `# ${comment}\n${stringify({ [name]: value }, { lineWidth: 0 })}`)
    .join('\n')
}

/** A configuration as JSON, which has no comments. */
export function jsonText(sections: readonly StarterSection[]): string {
  const value = Object.fromEntries(sections.map(({ name, value }) => [name, value]))
  return `${JSON.stringify(value, null, 2)}\n`
}
