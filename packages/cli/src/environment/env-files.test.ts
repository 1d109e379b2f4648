import { describe, expect, it } from 'vitest'
import { fakeCommandContext } from '../fake-command-context.ts'
import { main } from '../main.ts'
import { temporaryFolder } from '../temporary-folder.ts'

async function checked(files: Readonly<Record<string, string>>, env: Record<string, string> = {}) {
  const config = {
    providers: { local: {} },
    models: { m: `local/\${MODEL}` },
    keys: [{ id: 'a', key: `\${KEY}` }],
  }
  const cwd = temporaryFolder({ 'sluice.config.json': JSON.stringify(config), ...files })
  const { context, printed, logged } = fakeCommandContext({ cwd, env })
  return { code: await main(['check'], context), printed: printed(), logged: logged(), env: context.env }
}

describe('the environment of a command', () => {
  it('has the variables of .env, which the variables of .env.local replace', async () => {
    const got = await checked({
      '.env': '# Keys\nexport KEY="sk-one"\nMODEL=x\nEMPTY=',
      '.env.local': "KEY='sk two' # mine\n",
    })
    expect(got, got.logged).toMatchObject({ code: 0, env: { KEY: 'sk two', MODEL: 'x', EMPTY: '' } })
  })

  it('keeps the variables that are set, empty ones included', async () => {
    const got = await checked({ '.env': 'KEY=sk-file\nMODEL=y\nOTHER=z' }, { KEY: 'sk-set', OTHER: '' })
    expect(got).toMatchObject({ code: 0, env: { KEY: 'sk-set', MODEL: 'y', OTHER: '' } })
  })

  it('misses what no file has, as before', async () => {
    expect(await checked({ '.env': 'MODEL=x' })).toMatchObject({
      code: 1,
      logged: expect.stringContaining(`\${KEY}, which is not set`),
    })
  })

  it('needs no file, and takes no directory for one', async () => {
    expect(await checked({ '.env/pyvenv.cfg': '' }, { KEY: 'sk', MODEL: 'x' })).toMatchObject({ code: 0 })
  })
})
