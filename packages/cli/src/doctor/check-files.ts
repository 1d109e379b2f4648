import { readFileSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { type Finding, ok, warning } from './finding.ts'

/** Files, and what they may contain. */
interface CheckedFiles {
  /** The configuration with the files that it imports; none without a configuration. */
  readonly files: readonly string[]
  /** The secrets of the configuration, which its files should not contain. */
  readonly secrets: readonly string[]
  readonly cwd: string
  readonly platform: NodeJS.Platform
}

const othersWrite = 0o022
const othersRead = 0o044

/** Checks who can read and write the configuration and the environment files, and whether the former contain secrets. */
export function checkFiles({ files, secrets, cwd, platform }: CheckedFiles): readonly Finding[] {
  const findings: Finding[] = []
  const hasModes = platform !== 'win32'
  for (const file of files) {
    const name = relative(cwd, file) || file
    const check = `file ${name}`
    const { mode } = statSync(file)
    const text = readFileSync(file, 'utf8')
    const isSecret = secrets.some(secret => text.includes(secret))
    if (hasModes && (mode & othersWrite) !== 0) {
      findings.push(
        warning(
          check,
          'Other users can write it, and so change what the gateway does.',
          `Run: chmod go-w ${name}`,
        ),
      )
    } else if (isSecret) {
      const open = hasModes && (mode & othersRead) !== 0 ? ', and other users can read it' : ''
      findings.push(
        warning(
          check,
          `It contains a key or a password in plain text${open}.`,
          `Write a variable in its place, such as \${OPENAI_API_KEY}, and set that in the environment${open === '' ? '' : `. Run: chmod 600 ${name}`}`,
        ),
      )
    } else findings.push(ok(check, 'contains no key and no password'))
  }
  for (const name of ['.env', '.env.local']) {
    const stats = statSync(join(cwd, name), { throwIfNoEntry: false })
    if (stats === undefined || !stats.isFile()) continue
    const check = `file ${name}`
    if (hasModes && (stats.mode & (othersRead | othersWrite)) !== 0) {
      findings.push(warning(check, 'Other users can read or write it.', `Run: chmod 600 ${name}`))
    } else findings.push(ok(check, hasModes ? 'only its owner can read it' : 'is there'))
  }
  return findings
}
