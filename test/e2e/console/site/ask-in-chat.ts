import type { Page } from 'playwright-core'
import { goTo } from './go-to.ts'

/** Asks a model in the chat, by the keyboard, and gives the last answer. */
export async function askInChat(page: Page, model: string, text: string) {
  if (!/#\/chat/.test(page.url())) await goTo(page, 'Chat')
  await page.getByLabel('Model').selectOption(model)
  await page.getByLabel('Message', { exact: true }).fill(text)
  await page.keyboard.press('Enter')
  return page.locator('.turn.assistant').last()
}
