import { describe, expect, it } from 'vitest'
import { redact } from './redact.ts'

const hex = '0123456789abcdef'

describe('scrub', () => {
  it.each([
    // Keys by their prefix.
    'sk-proj-abcdefghijklmnop',
    'sk-ant-api03-abcdefgh',
    'SK-PROJ-ABCDEFGH12345',
    'AIzaSyA1234567890abcdefg',
    'AKIAIOSFODNN7EXAMPLE',
    'ASIAIOSFODNN7EXAMPLE',
    'ya29.a0AfH6SMBx',
    'gsk_abcdefghijklmnop',
    'r8_AbCdEfGhIjKlMnOpQr',
    'pplx-0123456789abcdef',
    'sess-abcdefghijklmnop',
    'nvapi-AbC-12345_xyzabcdefghi',
    'org-abcdefghijklmnop',
    'org-abc123def',
    'proj_AbCdEfGhIjKlMnOp',
    'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln',
    'abcd********wxyz',
    // Keys by their form.
    'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
    'Zx9Qw8Er7Ty6Ui5Op4As3Df2Gh1Jk0Lm',
    'Zx9Qw8-Er7Ty6Ui5_Op4As3Df2Gh1-Jk0Lm',
    `${hex}${hex}`,
    'a'.repeat(40),
    // Keys by the words around them.
    'Bearer abc.def',
    'Bearer AbCdEfGh',
    'Basic dXNlcjpwYXNz',
    'Authorization: Bearer abc.def',
    'authorization: Token abc',
    'api_key=abc123',
    `api-key: ${hex}`,
    'API key provided: abcd1234',
    'password=hunter2',
    'password="hunter two"',
    'AccountKey=abc/def+gh==',
    'token=abcdef12',
    // Where it runs.
    'https://api.vendor.example/v1?key=secret',
    'ops@vendor.example',
    'internal.svc:8080',
    'api.vendor.cn',
    'vllm.corp',
    'llm.lan',
    'name.fly.app',
    'eu.socket.io',
    'localhost',
    'localhost:11434',
    'vllm-backend:8000',
    'ollama:11434',
    "host='vllm-backend'",
    'ENOTFOUND vllm-backend',
    '10.1.2.3:9000',
    '::1',
    '::1:11434',
    '[::]:8000',
    '[fd00::1]',
    '[fd00::1]:8000',
    '2001:db8::8a2e:370:7334',
    '1:2:3:4:5:6:7:8',
    '::ffff:10.0.0.1',
    'fe80::1%eth0',
  ])('takes out %s', secret => {
    expect(redact(`before ${secret} after`)).toBe('before [removed] after')
  })

  it.each([
    ["the reference 'https://api.vendor.example/a' is not one", "the reference '[removed]' is not one"],
    ['see "https://api.vendor.example/a".', 'see "[removed]".'],
    ["see `https://h/it's?key=secret`", 'see `[removed]`'],
    ["got 'Bearer abc.def'", "got '[removed]'"],
    ["got 'Authorization: Bearer abc.def'", "got '[removed]'"],
    ["got 'api_key=abc123'", "got '[removed]'"],
    ["got 'token=abcdef12'", "got '[removed]'"],
    ["got 'ENOTFOUND vllm-backend'", "got '[removed]'"],
    ['password=hun"ter2 is wrong', '[removed] is wrong'],
  ])('leaves the quotation mark that closes: %s', (message, told) => {
    expect(redact(message)).toBe(told)
  })

  it('takes out a key behind a word and an underscore, or in JSON', () => {
    expect(redact(`my_x-api-key: ${hex}`)).not.toContain(hex)
    expect(redact('{"api_key": "abcdef", "access_token":"abcdef"}')).not.toContain('abcdef')
  })

  it.each([
    'Traceback (most recent call last): ValueError',
    'File "<string>", line 1, in run',
    'TypeError: x at Object.run (index.js:10:15)',
    'TypeError: x at <anonymous>:1:5',
    'panic: main.go:12',
    'No such file: /models/llama/config.json',
    "ENOENT: open '/var/lib/app/key'",
    'in path=/usr/lib/x',
    'in ~/.cache/x',
    'in C:\\Users\\name',
    'in \\\\server\\share',
    '-----BEGIN PRIVATE KEY-----',
  ])('tells nothing of a text with %s', text => {
    expect(redact(`The request failed: ${text}`)).toBe('')
  })

  it.each([
    "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
    "This model's maximum context length is 4097 tokens. However, you requested 5000 tokens.",
    "The reference '#/definitions/address/street' points to nothing",
    "Invalid type for 'messages[0].content': expected a string, but got an integer instead.",
    'messages.0.content is required; /messages/0/role must be string; tokens:4096',
    'skip_special_tokens, keyword_arguments, key_value_store, keystrokes, hf_transfer, org_membership',
    'Not loaded: Meta-Llama-3-1-405B-Instruct-Turbo, gpt-4.1, llama3.1:70b, pplx-70b-online',
    'deepseek-ai/DeepSeek-R1-Distill-Qwen-32B-Instruct and claude-3-sonnet-20240229-v1:0',
    'accounts/fireworks/models/llama-v3p1-405b-instruct',
    'Tool get_current_weather_forecast_for_city_v2 is unknown',
    "Tool 'getCurrentWeatherForecastForCityByZip2' is unknown",
    `No answer to chatcmpl-tool-${hex}${hex} or call_${hex}${hex}ABCD or "${hex}${hex}"`,
    'Request 550e8400-e29b-41d4-a716-446655440000',
    'socket.io, Node.js, version 1.2.3.4, image/png, and/or, std::vector, **bold**',
    'Use bearer tokens, or Bearer authentication. Basic authentication is not supported.',
    'Resets at 2026-08-01T12:30:45Z',
    "Unexpected token: 'assistant'; eos_token: </s_long>",
    'Only supported in /v1/responses and not in /v1/chat/completions',
  ])('leaves %s', message => {
    expect(redact(message)).toBe(message)
  })

  it('is bounded and has no control characters', () => {
    expect(redact(`a\u0000\nb ${'word '.repeat(5_000)}`).length).toBeLessThanOrEqual(1_003)
    expect(redact('a\u0000\nb')).toBe('a b')
  })

  it('is as quick with a text made to be slow', () => {
    const units =
      'a|a.|a-|a_|a/|/a|A1|0|1.|1:|::|ff:|a:1|c:12|*|a*|**|x@|x@a.|"|key="|at |at a:1|Bearer |Basic A|sk-|org_a-|eyJ.|host=\'|a.io.|[|[:|~/|password:|api_key |token | |-----'
    for (const unit of units.split('|')) {
      const text = unit.repeat(4_000).slice(0, 4_000)
      const times = Array.from({ length: 5 }, () => {
        const started = performance.now()
        redact(text)
        return performance.now() - started
      })
      // Below 1 ms; a pattern that goes over the rest of the text at each of its characters takes 30.
      expect(Math.min(...times), unit).toBeLessThan(10)
    }
  })
})
