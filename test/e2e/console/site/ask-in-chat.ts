import type { Page } from 'playwright-core'

/** Asks a model in the chat, by the keyboard, and gives the last answer. */
export async function askInChat(page: Page, model: string, text: string) {
  await page.getByLabel('Model').selectOption(model)
  await page.getByLabel('Message', { exact: true }).fill(text)
  await page.keyboard.press('Enter')
  return page.locator('.turn.assistant').last()
}
