import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { curlLines } from './curl-line.ts'

const baseURL = 'http://127.0.0.1:1/v1'
const word = fc.string({ unit: 'grapheme-ascii', minLength: 1 })
const question = [{ role: 'user', content: 'What is 12 * 7?' }]

/** Splits a command line as `CommandLineToArgvW` of Windows does. */
function windowsWords(line: string): string[] {
  const words: string[] = []
  let word: string | undefined
  let quoted = false
  for (let at = 0; at <= line.length; at++) {
    const character = line[at]
    if (character === undefined || (character === ' ' && !quoted)) {
      if (word !== undefined) words.push(word)
      word = undefined
      continue
    }
    word ??= ''
    const [slashes = ''] = /^\\*/.exec(line.slice(at))!
    if (slashes !== '') {
      const beforeQuote = line[at + slashes.length] === '"'
      word += beforeQuote ? '\\'.repeat(Math.floor(slashes.length / 2)) : slashes
      at += slashes.length - 1
      if (beforeQuote && slashes.length % 2 === 1) {
        word += '"'
        at++
      }
    } else if (character === '"') quoted = !quoted
    else word += character
  }
  return words
}

/** The text of a single-quoted string of PowerShell, and what comes after it. */
function powerShellString(text: string): [string, string] {
  const [whole, inner = ''] = /^'((?:[^']|'')*)'/.exec(text)!
  return [inner.replaceAll("''", "'"), text.slice(whole.length)]
}

describe('curlLines', () => {
  it('gives each word to curl unchanged in a POSIX shell', () => {
    fc.assert(
      fc.property(word, word, (key, model) => {
        const [{ shell, line }, ...others] = curlLines('linux', baseURL, key, model) as [
          { shell: undefined; line: string },
        ]
        expect([shell, others]).toEqual([undefined, []])
        const printing = line.replace(/^curl /, 'printf "%s\\n" ')
        const words = execFileSync('sh', ['-c', printing], { encoding: 'utf8' }).split('\n')
        expect(words[0]).toBe('http://127.0.0.1:1/v1/chat/completions')
        expect(words[2]).toBe(`authorization: Bearer ${key}`)
        expect(JSON.parse(words[6]!)).toEqual({ model, messages: question })
      }),
      { numRuns: 40 },
    )
  })

  it('prints a line for PowerShell and one for cmd.exe on Windows', () => {
    expect(curlLines('win32', baseURL, 'sk-1', 'o1')).toEqual([
      {
        shell: 'PowerShell',
        line: `'{"model":"o1","messages":[{"role":"user","content":"What is 12 * 7?"}]}' | curl.exe 'http://127.0.0.1:1/v1/chat/completions' -H 'authorization: Bearer sk-1' -H 'content-type: application/json' -d '@-'`,
      },
      {
        shell: 'cmd.exe',
        line: String.raw`curl.exe "http://127.0.0.1:1/v1/chat/completions" -H "authorization: Bearer sk-1" -H "content-type: application/json" -d "{\"model\":\"o1\",\"messages\":[{\"role\":\"user\",\"content\":\"What is 12 * 7?\"}]}"`,
      },
    ])
  })

  it('gives each word to curl unchanged on Windows', () => {
    fc.assert(
      fc.property(word, fc.string({ unit: 'binary', minLength: 1 }), (key, model) => {
        const [powerShell, commandPrompt] = curlLines('win32', baseURL, key, model)
        const words = windowsWords(commandPrompt!.line)
        expect(words.slice(0, 4)).toEqual([
          'curl.exe',
          'http://127.0.0.1:1/v1/chat/completions',
          '-H',
          `authorization: Bearer ${key}`,
        ])
        expect(JSON.parse(words[7]!)).toEqual({ model, messages: question })
        // Outside of quotes, as cmd.exe counts them, these would end the command or begin another one.
        const unquoted = words[7]!.replaceAll('"', '')
        expect(unquoted).not.toMatch(/[&|<>^%!]/)

        const [body, rest] = powerShellString(powerShell!.line)
        expect(JSON.parse(body)).toEqual({ model, messages: question })
        expect(rest).toMatch(/^ \| curl\.exe '/)
        const [header] = powerShellString(rest.slice(rest.indexOf("-H '") + 3))
        expect(header).toBe(`authorization: Bearer ${key}`)
        expect(`${commandPrompt!.line}${body}`.replace(key, '')).toMatch(/^[\x20-\x7e]*$/)
      }),
      { numRuns: 100 },
    )
  })
})
