import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { curlCommand, shellQuoted } from '../../../../packages/console/ui/format/curl.ts'

/** What a shell makes of a command: its arguments, one by one. `curl` is a function that prints them. */
function argumentsOf(command: string): string[] {
  const script = `curl() { printf '%s\\0' "$@"; }\n${command}`
  const printed = execFileSync('sh', ['-c', script], {
    env: { PATH: process.env.PATH, SLUICE_API_KEY: 'sk-mine' },
    encoding: 'utf8',
  })
  return printed.split('\0').slice(0, -1)
}

describe('a request as a curl command', () => {
  it('is one argument for a shell, whatever a caller has sent, and has the key of a variable', () => {
    const hostile = `'; touch /dev/null; echo '"$(id)" \`id\` $HOME !! \\ @file \n`
    const body = JSON.stringify({ model: 'm', content: hostile })
    const command = curlCommand("http://127.0.0.1:1/it's/v1/chat/completions", body)
    expect(command).toContain('"Authorization: Bearer $SLUICE_API_KEY"')
    const given = argumentsOf(command)
    expect(given).toEqual([
      "http://127.0.0.1:1/it's/v1/chat/completions",
      '-H',
      'Authorization: Bearer sk-mine',
      '-H',
      'Content-Type: application/json',
      '--data-raw',
      body,
    ])
  })

  it('means the same JSON, without characters that a terminal acts on', () => {
    const body = '{\n\t"a": "\u009b31m\u202eevil\u200b\u007f",\r\n\t"b": [1.0, 12345678901234567890]\n}'
    const sent = argumentsOf(curlCommand('http://localhost', body)).at(-1)!
    expect(sent).toMatch(/^[\x20-\x7e]*$/)
    expect(JSON.parse(sent)).toEqual(JSON.parse(body))
    expect(sent).toContain('12345678901234567890')
  })

  it('is quoted for any text', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 30 }).filter(value => !value.includes('\0'))
    const values = fc.sample(text, 100)
    expect(argumentsOf(`curl ${values.map(shellQuoted).join(' ')}`)).toEqual(values)
  })
})
