import { describe, expect, it } from 'vitest'
import { devSettings } from './dev-settings.ts'

describe('devSettings', () => {
  it('goes by options, then by the environment', () => {
    expect(devSettings({}, {})).toEqual({
      host: undefined,
      port: undefined,
      apiKey: undefined,
      console: true,
      discover: true,
      anyModel: false,
      open: false,
      database: undefined,
      config: undefined,
    })
    const env = { PORT: '1', HOST: '::1', SLUICE_API_KEY: 'k' }
    expect(devSettings({}, env)).toMatchObject({ port: 1, host: '::1', apiKey: 'k' })
    expect(devSettings({ port: '0', host: '127.0.0.1' }, env)).toMatchObject({ port: 0, host: '127.0.0.1' })
    expect(devSettings({ 'no-console': true, 'no-discover': true }, { PORT: '' })).toMatchObject({
      console: false,
      discover: false,
      port: undefined,
    })
  })

  it.each([
    [{ port: 'abc' }, {}, /^--port is 'abc'\. Set it to a whole number/, 2],
    [{ port: '65536' }, {}, /^--port is '65536'/, 2],
    [{}, { PORT: '1e3' }, /^PORT is '1e3'/, 1],
    [{}, { SLUICE_API_KEY: 'can ary' }, /^SLUICE_API_KEY has characters/, 1],
  ])('refuses %o with %o', (values, env, message, exitCode) => {
    const fault = expect.objectContaining({ message: expect.stringMatching(message), exitCode })
    expect(() => devSettings(values, env)).toThrow(fault)
    expect(() => devSettings(values, env)).not.toThrow('can ary')
  })
})
