import { once } from 'node:events'
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createConsole } from '@sluice/console'
import { apiKeys, createGateway, firstOf, models, withEndpoints } from '@sluice/core'
import { toExpress } from '@sluice/express'
import { local } from '@sluice/providers'
import express from 'express'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { withPage } from '../../../packages/console/tsup.config.ts'
import { bundledProgram } from '../../../scripts/bundle-program.mjs'
import { type SluiceStart, startProcess } from '../cli/start-process.ts'
import { chatAs } from './site/chat-as.ts'
import { startChromium } from './site/chromium.ts'
import { describeWithChromium } from './site/describe-with-chromium.ts'
import { goTo } from './site/go-to.ts'

const program = join(import.meta.dirname, '../../../packages/cli/src/bin.ts')
const adminKey = 'admin-key-0123456789'
const callerKey = 'sk-of-a-caller'

/** The console as somebody meets it first: default options, the printed link, and a caller's key that opens no console. */
describeWithChromium('the console as it is opened', () => {
  let browser: Browser
  let script: string
  beforeAll(async () => {
    ;[browser, script] = await Promise.all([startChromium(), bundledProgram(program, [withPage])])
  })
  afterAll(() => browser?.close())

  /** The command line with the page, as it is published. */
  const sluice = (args: readonly string[], start: SluiceStart) =>
    startProcess(process.execPath, [script, ...args], start)
  const folder = () => {
    const made = mkdtempSync(join(realpathSync(tmpdir()), 'sluice-console-'))
    onTestFinished(() => rmSync(made, { recursive: true, force: true }))
    return made
  }
  const open = async (address: string): Promise<Page> => {
    const page = await browser.newPage()
    onTestFinished(() => page.close())
    page.setDefaultTimeout(20_000)
    await page.goto(address)
    return page
  }
  /** Types a message, presses Enter, and waits for the answer. */
  const answerTo = async (page: Page, question: string, answer: string): Promise<void> => {
    if (!page.url().endsWith('#/chat')) await goTo(page, 'Chat')
    await page.getByLabel('Message', { exact: true }).fill(question)
    await page.keyboard.press('Enter')
    await page.locator('.turn.assistant').last().getByText(answer).waitFor()
  }
  const statusOf = async (baseURL: string, key: string, model: string): Promise<number> => {
    const response = await fetch(`${baseURL}/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }] }),
    })
    await response.text()
    return response.status
  }

  it('answers a message in sluice dev, by the printed link, and the ledger has it', async () => {
    const cwd = folder()
    const dev = sluice(['dev', '--port', '0', '--no-discover'], { cwd })
    await dev.until(/Ctrl\+C/)
    const link = /http:\S+\/console\/#key=(\S+)/.exec(dev.stdout())!
    const page = await open(link[0])
    await answerTo(page, 'What is 12 * 7?', '12 * 7 = 84')
    const baseURL = /running at (\S+)/.exec(dev.stdout())![1]!
    expect(await statusOf(baseURL, link[1]!, 'local')).toBe(401)
    await chatAs(page, /API key +(\S+)/.exec(dev.stdout())![1]!)
    await answerTo(page, 'What is 6 * 7?', '6 * 7 = 42')
    const usage = sluice(['usage', '--by', 'key', '--json'], { cwd })
    expect(await usage.exited).toBe(0)
    expect(usage.stdout()).toContain('"console"')
    await goTo(page, 'Usage')
    await page.locator('.totals div', { hasText: /^Cost/ }).first().getByText('no price').waitFor()
  })

  it('answers a message in sluice serve, with a configuration that names an admin key and a caller', async () => {
    const cwd = folder()
    const config = {
      models: { demo: 'local/demo' },
      providers: { local: {} },
      keys: [{ id: 'ann', key: callerKey }],
      console: { adminKey },
    }
    writeFileSync(join(cwd, 'sluice.config.json'), JSON.stringify(config))
    const serving = sluice(['serve', '--port', '0'], { cwd })
    const [, address] = await serving.until(/Console at (\S+)/)
    const page = await open(`${address}#key=${adminKey}`)
    await answerTo(page, 'What is 12 * 7?', '12 * 7 = 84')
    const baseURL = new URL('../v1', address).href
    expect(await statusOf(baseURL, adminKey, 'demo')).toBe(401)
    expect(await statusOf(baseURL, callerKey, 'demo')).toBe(200)
  })

  it('answers a message in an Express application, and as a caller whose key is only a caller’s', async () => {
    const board = createConsole({ adminKey })
    const gateway = createGateway({
      authenticate: firstOf(board.authenticate, apiKeys([{ id: 'ann', key: callerKey, models: ['demo'] }])),
      route: models({ demo: local()('demo'), other: local()('other') }),
      observe: board.observe,
    })
    onTestFinished(() => gateway.close({ drainMs: 0 }))
    const app = express()
    app.use('/api/ai', toExpress(withEndpoints(gateway, [board.endpoint(gateway)])))
    const server = app.listen(0, '127.0.0.1')
    onTestFinished(() => {
      board.close()
      server.closeAllConnections()
      server.close()
    })
    await once(server, 'listening')
    const mount = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/ai`
    const page = await open(`${mount}/console/#key=${adminKey}`)
    await answerTo(page, 'What is 12 * 7?', '12 * 7 = 84')
    expect(await statusOf(`${mount}/v1`, adminKey, 'demo')).toBe(401)
    await chatAs(page, callerKey)
    await answerTo(page, 'What is 6 * 7?', '6 * 7 = 42')
    await page.getByLabel('Model').selectOption('other')
    await answerTo(page, 'Hello', 'Not allowed (403)')
  })
})
