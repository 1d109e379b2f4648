import { expect, it } from 'vitest'
import { codexLine } from './codex-line.ts'

const baseURL = 'http://127.0.0.1:8787/v1'
const settings = (url: string, quote = '') =>
  [
    `-c model_provider=${quote}sluice${quote}`,
    `-c model_providers.sluice.name=${quote}Sluice${quote}`,
    `-c model_providers.sluice.base_url=${quote}${url}${quote}`,
    `-c model_providers.sluice.env_key=${quote}SLUICE_API_KEY${quote}`,
    `-c model_providers.sluice.wire_api=${quote}responses${quote}`,
  ].join(' ')

it('sets the URL, the key and the model', () => {
  expect(codexLine('linux', baseURL, 'sk-mine', 'openai/gpt-5')).toBe(
    `SLUICE_API_KEY=sk-mine codex ${settings(baseURL)} --model openai/gpt-5`,
  )
})

it('is for PowerShell on Windows', () => {
  expect(codexLine('win32', baseURL, "it's", 'm')).toBe(
    `$env:SLUICE_API_KEY='it''s'; codex ${settings(baseURL, "'")} --model 'm'`,
  )
})

it('quotes what a shell would read', () => {
  expect(codexLine('darwin', baseURL, "a'$b", 'a b')).toMatch(
    /^SLUICE_API_KEY='a'\\''\$b' codex .* --model 'a b'$/,
  )
})
