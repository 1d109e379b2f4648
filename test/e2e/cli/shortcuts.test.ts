import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runningDev, temporaryFolder } from './running-dev.ts'

/** A terminal of a test: what is typed in it, and the URLs that a browser was started with. */
function fakeTerminal() {
  const listeners = new Set<(line: string) => void>()
  const opened: string[] = []
  return {
    opened,
    type: (line: string) => {
      for (const listener of listeners) listener(line)
    },
    listens: () => listeners.size > 0,
    context: {
      networkAddresses: () => ['192.0.2.7'],
      openUrl: async (url: string) => void opened.push(url),
      onLine: (listener: (line: string) => void) => {
        listeners.add(listener)
        return () => void listeners.delete(listener)
      },
    },
  }
}

describe('sluice dev in a terminal', () => {
  it('opens the console that it prints, by a URL that has no key', async () => {
    const terminal = fakeTerminal()
    const dev = await runningDev({ args: ['--open'], context: terminal.context })
    await expect.poll(() => terminal.opened.length).toBe(1)
    const [url = ''] = terminal.opened
    const [page, key] = /http:\S+\/console\/#key=(\S+)/.exec(dev.printed())!
    expect(url).not.toContain(key)
    const response = await fetch(url, { redirect: 'manual' })
    expect(response.headers.get('location')).toBe(page)
  })

  it('shows its URLs, clears the screen, opens the console, and quits with 0', async () => {
    const terminal = fakeTerminal()
    const dev = await runningDev({ context: terminal.context })
    expect(dev.printed()).toContain('Press h + Enter for shortcuts')
    terminal.type('h')
    await dev.until(/q \+ Enter {3}quit/)
    const before = dev.printed()
    terminal.type('u')
    expect(dev.printed().slice(before.length)).toMatch(/^http:\S+\/v1\nhttp:\S+\/console\/#key=\S+\n$/)
    terminal.type('c')
    expect(dev.printed()).toContain('\u001B[2J')
    terminal.type('o')
    await expect.poll(() => terminal.opened.length).toBe(1)
    terminal.type('r')
    await dev.until(/There is no configuration to reload/)
    terminal.type('q')
    expect(await dev.ended).toBe(0)
    expect(terminal.listens()).toBe(false)
  })

  it('reloads the configuration', async () => {
    const cwd = temporaryFolder()
    const keys = [{ id: 'me', key: 'sk-test' }]
    const config = { providers: { local: {} }, models: { demo: 'local/demo' }, keys }
    writeFileSync(join(cwd, 'sluice.config.json'), JSON.stringify(config))
    const terminal = fakeTerminal()
    const dev = await runningDev({ cwd, context: terminal.context })
    terminal.type('r')
    await dev.until(/Configuration reloaded\./)
  })

  it('says where to go when no browser can be started', async () => {
    const openUrl = async () => Promise.reject(Object.assign(new Error('no'), { code: 'ENOENT' }))
    const dev = await runningDev({ args: ['--open'], context: { openUrl } })
    await dev.until(/Cannot open a browser \(ENOENT\)\. Open http:\S+\/console\/#key=/)
    const none = await runningDev({ args: ['--open', '--no-console'], context: { openUrl } })
    await none.until(/There is no console to open/)
  })

  it('ends while the program that opens the browser still runs', async () => {
    let started = false
    const openUrl = () => {
      started = true
      return new Promise<never>(() => {})
    }
    const dev = await runningDev({ args: ['--open'], context: { openUrl } })
    await expect.poll(() => started).toBe(true)
    dev.stop()
    expect(await dev.ended).toBe(0)
  })

  it('prints the addresses for other machines with --host', async () => {
    const { context } = fakeTerminal()
    const dev = await runningDev({ args: ['--host', '0.0.0.0'], context })
    const { port } = new URL(dev.baseURL)
    expect(dev.printed()).toContain(`  Network   http://192.0.2.7:${port}/v1\n`)
  })
})
