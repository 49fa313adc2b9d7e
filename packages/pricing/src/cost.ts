import type { TokenPrice, TokenRates } from './pricing';
import { type CallNeed, TOKEN_RATE_NAMES, TOKEN_RATES, type TokenRate } from './rates';

/** Tokens by the rate that they cost, and other usage by the name of its unit. */
export type PricedUsage = { readonly [Rate in TokenRate]?: number } & {
  /** Undefined: none. */
  readonly units?: UnitCounts | undefined;
};

export type UnitCounts = Readonly<Record<string, number>>;

/** What a part of a call costs. */
export interface CostLine {
  /** The rate of its tokens, or its unit. */
  readonly component: string;
  readonly quantity: number;
  /** The price of `per` of them. */
  readonly priceNano: bigint;
  readonly per: number;
  /** Whole nano-USD: the cost up to this line, rounded up, without that of the lines before. */
  readonly costNano: bigint;
}

export interface Cost {
  /** The sum of the lines. */
  readonly costNano: bigint;
  /** Of what was used and has a price. */
  readonly lines: readonly CostLine[];
}

const TOKENS_PER_RATE = 1_000_000;
const PER_RATE = BigInt(TOKENS_PER_RATE);

interface PricedTokens {
  readonly rate: TokenRate;
  readonly need: CallNeed | undefined;
  readonly side: 'input' | 'output';
  /** Figures of usage that this one includes. */
  readonly parts: readonly TokenRate[];
  /** The rate itself and its fallbacks. */
  readonly prices: readonly TokenRate[];
}

const PRICED_TOKENS: readonly PricedTokens[] = TOKEN_RATE_NAMES.map((rate) => {
  const { side, fallbacks, need } = TOKEN_RATES[rate];
  const parts = TOKEN_RATE_NAMES.filter((other) => TOKEN_RATES[other].partOf === rate);
  return { rate, need, side, parts, prices: [rate, ...fallbacks] };
});

/** Figures that add up to all tokens of a prompt. */
const PROMPT_FIGURES = TOKEN_RATE_NAMES.filter((rate) => {
  const { side, partOf } = TOKEN_RATES[rate];
  return side === 'input' && partOf === undefined;
});

/** Returns all tokens of the prompt. */
export function inputTokensOf(usage: PricedUsage): number {
  let tokens = 0;
  for (const figure of PROMPT_FIGURES) tokens += usage[figure] ?? 0;
  return tokens;
}

/** Returns what the usage costs, rounded up once, and what the cost consists of. A unit without a price costs nothing. */
export function costOf(usage: PricedUsage, price: TokenPrice): Cost {
  const rates = ratesFor(inputTokensOf(usage), price);
  const lines: CostLine[] = [];
  let total = 0n;
  let costNano = 0n;
  for (const priced of PRICED_TOKENS) {
    const quantity = tokensAt(priced, usage);
    if (quantity === 0) continue;
    const priceNano = rateOf(priced, rates);
    total += BigInt(quantity) * priceNano;
    const soFarNano = ceilDiv(total, PER_RATE);
    lines.push({
      component: priced.rate,
      quantity,
      priceNano,
      per: TOKENS_PER_RATE,
      costNano: soFarNano - costNano,
    });
    costNano = soFarNano;
  }
  const { units } = usage;
  for (const component in units) {
    const quantity = units[component]!;
    const priceNano = price.units?.[component];
    if (quantity === 0 || priceNano === undefined) continue;
    const lineNano = BigInt(quantity) * priceNano;
    lines.push({ component, quantity, priceNano, per: 1, costNano: lineNano });
    costNano += lineNano;
  }
  return { costNano, lines };
}

function unitsNano(units: UnitCounts | undefined, { units: prices }: TokenPrice): bigint {
  let total = 0n;
  if (!units || !prices) return total;
  for (const unit in units) total += BigInt(units[unit]!) * (prices[unit] ?? 0n);
  return total;
}

/** Returns what tokens cost at their rates, rounded up once. */
export function costOfTokens(tokens: readonly (readonly [count: number, rateNano: bigint])[]): bigint {
  const total = tokens.reduce((sum, [count, rateNano]) => sum + BigInt(count) * rateNano, 0n);
  return ceilDiv(total, PER_RATE);
}

/**
 * Returns the price of one call, without the rates that it can't need: they would be its most expensive ones, and multiply its
 * bound for nothing.
 */
export function callPrice(price: TokenPrice, needs: CallNeeds): TokenPrice {
  const { input, output, long_context, units } = price;
  return {
    ...neededRates(price, needs),
    ...{ input, output },
    ...(long_context && {
      long_context: { above_tokens: long_context.above_tokens, ...neededRates(long_context, needs) },
    }),
    ...(units && { units }),
  };
}

export type CallNeeds = { readonly [Need in CallNeed]?: boolean | undefined };

/** Returns whether the price has a rate for what only calls with this need use. */
export const hasRateFor = (price: TokenPrice, wanted: CallNeed): boolean =>
  PRICED_TOKENS.some(({ rate, need }) => need === wanted && price[rate] !== undefined);

function neededRates(rates: TokenRates, needs: CallNeeds): TokenRates {
  const needed: { [Rate in TokenRate]?: bigint } = {};
  for (const { rate, need } of PRICED_TOKENS) {
    const nano = rates[rate];
    if (nano !== undefined && (need === undefined || needs[need])) needed[rate] = nano;
  }
  return needed;
}

/**
 * Returns the maximum cost of a call: its tokens at the highest rates that may apply.
 * @param audioTokens how many of the input tokens may be audio
 */
export function boundOf(
  inputTokens: number,
  outputTokens: number,
  price: TokenPrice,
  units?: UnitCounts,
  audioTokens = 0,
): bigint {
  const at = (rates: TokenRates) =>
    inputBound(inputTokens, audioTokens, rates) + BigInt(outputTokens) * highestRate(rates, OUTPUT_RATES);
  const baseNano = at(price);
  const rates = ratesFor(inputTokens, price);
  const longNano = rates === price ? baseNano : at(rates);
  const isLongDearer = longNano > baseNano;
  return ceilDiv(isLongDearer ? longNano : baseNano, PER_RATE) + unitsNano(units, price);
}

/** Returns the maximum output tokens that `amountNano` covers beside that input and units; the inverse of `boundOf`. */
export function outputWithin(
  amountNano: bigint,
  inputTokens: number,
  price: TokenPrice,
  units?: UnitCounts,
  audioTokens = 0,
): number {
  const tokensNano = amountNano - unitsNano(units, price);
  const fit = (rates: TokenRates) => {
    const left = tokensNano * PER_RATE - inputBound(inputTokens, audioTokens, rates);
    const rate = highestRate(rates, OUTPUT_RATES);
    if (left < 0n) return 0;
    return rate === 0n ? Number.MAX_SAFE_INTEGER : Number(left / rate);
  };
  return Math.min(fit(price), fit(ratesFor(inputTokens, price)));
}

const ratesWhere = (is: (priced: PricedTokens) => boolean): readonly TokenRate[] =>
  PRICED_TOKENS.filter(is).map(({ rate }) => rate);

const INPUT_RATES = ratesWhere(({ side }) => side === 'input');
const TEXT_RATES = ratesWhere(({ side, need }) => side === 'input' && need !== 'audioInput');
const OUTPUT_RATES = ratesWhere(({ side }) => side === 'output');

const inputBound = (inputTokens: number, audioTokens: number, rates: TokenRates): bigint =>
  BigInt(inputTokens - audioTokens) * highestRate(rates, TEXT_RATES) +
  BigInt(audioTokens) * highestRate(rates, INPUT_RATES);

function highestRate(rates: TokenRates, names: readonly TokenRate[]): bigint {
  let highest = 0n;
  for (const name of names) {
    const nano = rates[name];
    if (nano !== undefined && nano > highest) highest = nano;
  }
  return highest;
}

/** Returns the rates of a call with so many input tokens. */
function ratesFor(inputTokens: number, price: TokenPrice): TokenRates {
  const { long_context } = price;
  return long_context && inputTokens > long_context.above_tokens ? long_context : price;
}

/** Returns the tokens that cost this rate: those of its figure without those that have a figure of their own. */
function tokensAt({ rate, parts }: PricedTokens, usage: PricedUsage): number {
  let tokens = usage[rate] ?? 0;
  for (const part of parts) tokens -= usage[part] ?? 0;
  return tokens;
}

/** Returns the rate, or the first of its fallbacks that the price has; 0 if it has none. */
function rateOf({ prices }: PricedTokens, rates: TokenRates): bigint {
  for (const name of prices) {
    const nano = rates[name];
    if (nano !== undefined) return nano;
  }
  return 0n;
}

/** Returns the quotient rounded up, of numbers that are not negative. */
export const ceilDiv = (amount: bigint, by: bigint): bigint => (amount + by - 1n) / by;
