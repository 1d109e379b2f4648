import { join } from 'node:path'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { startChromium } from '../site/chromium.ts'
import { startService } from '../site/service.ts'
import { makeTraffic } from './make-traffic.ts'

const wide = { viewport: { width: 1200, height: 760 } }
const phone = { viewport: { width: 375, height: 760 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true }

/** Each picture by its name: on what, and what is done before it is taken. */
const pictures: Readonly<Record<string, readonly [BrowserContextOptions, (page: Page) => Promise<void>]>> = {
  overview: [{ viewport: { width: 1200, height: 1180 } }, page => view(page, 'Overview', '.failure')],
  chat: [wide, chatted],
  requests: [wide, traced],
  usage: [{ viewport: { width: 1200, height: 1420 } }, page => view(page, 'Usage', '.ledger .table')],
  keys: [wide, page => view(page, 'Keys', '.key')],
  replay: [{ viewport: { width: 1200, height: 1000 } }, replayed],
  alerts: [{ viewport: { width: 1200, height: 420 } }, page => view(page, 'Alerts', '.alert')],
  routes: [wide, page => view(page, 'Routes', '.routes')],
  dark: [{ ...wide, colorScheme: 'dark' }, traced],
  phone: [phone, traced],
}

/** Takes all of them into a folder. */
export async function takePictures(folder: string): Promise<void> {
  let ahead = 0
  const service = await startService({ now: () => Date.now() - ahead })
  const browser = await startChromium()
  try {
    await makeTraffic(service, minutes => {
      ahead = minutes * 60_000
    })
    await service.flushLog()
    for (const [name, [options, prepare]] of Object.entries(pictures)) {
      const context = await browser.newContext(options)
      const page = await context.newPage()
      await page.goto(service.page)
      await prepare(page)
      await page.screenshot({ path: join(folder, `console-${name}.png`) })
      await context.close()
    }
  } finally {
    await browser.close()
    await service.close()
  }
}

async function view(page: Page, name: string, ready: string): Promise<void> {
  await page.getByRole('link', { name, exact: true }).click()
  await page.locator(ready).first().waitFor()
}

async function chatted(page: Page): Promise<void> {
  await view(page, 'Chat', '.composer')
  await page.getByLabel('Model').selectOption('small-chat')
  await page.getByLabel('Message', { exact: true }).fill('What does a sluice do?')
  await page.keyboard.press('Enter')
  await page.getByRole('link', { name: 'Request details' }).waitFor()
}

async function traced(page: Page): Promise<void> {
  await view(page, 'Requests', '.requests-table')
  await page.locator('tr', { hasText: 'large-chat' }).first().getByRole('link').press('Enter')
  await page.locator('.bar-row').first().waitFor()
}

async function replayed(page: Page): Promise<void> {
  await view(page, 'Log', '.requests-table')
  await page.locator('tr', { hasText: 'small-chat' }).first().getByRole('link').press('Enter')
  await page.getByRole('button', { name: 'Replay', exact: true }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Replay' }).click()
  await page.locator('.comparison').waitFor()
  await page.locator('.comparison').evaluate(element => element.scrollIntoView({ block: 'end' }))
}
