import type { Encoding } from './token-estimator';

/** A text with the token counts of real tokenizers. */
export interface CountedText {
  readonly name: string;
  readonly text: string;
  readonly tokens: Readonly<Record<Encoding, number>>;
}

/** Texts written for this test, counted by the tokenizers and versions that `token-estimator.ts` names. */
export const CORPUS: readonly CountedText[] = [
  {
    name: 'english, prose',
    tokens: { o200k: 257, claude: 268, gemini: 260, deepseek: 259, tekken: 261 },
    text: `The harbour was quiet that morning, quieter than Mara could remember it ever having been. A week of storms had kept the boats inside the breakwater, and now that the wind had finally dropped, nobody seemed to be in any particular hurry to leave. She walked along the quay with her hands in her pockets, counting the lobster pots stacked outside the ice house, and wondered whether her brother would bother to come down at all.

He did, in the end, shortly after nine. "You could have started without me," he said, and she laughed, because they both knew that she couldn't have. The engine of the old trawler answered to him and to nobody else; she had spent most of a summer trying to learn its moods, with nothing to show for it but a burned wrist and an impressive vocabulary.

They cleared the lighthouse at half past ten. Behind them the town shrank into a row of coloured boxes, and the bells of St Anselm's, which rang the quarter hours slightly late, came thin and uneven across the water. Mara poured coffee from the flask. It would be an ordinary day, she thought, and was grateful for it: forty pots to haul, bait to cut, gulls to argue with, and home before the light went.
`,
  },
  {
    name: 'english, technical',
    tokens: { o200k: 280, claude: 294, gemini: 296, deepseek: 286, tekken: 287 },
    text: `You are a support engineer for a hosted database service. Answer the customer's question in at most three short paragraphs, and cite the section of the manual that you rely on. If the question can't be answered from the manual, say so and offer to open a ticket.

Replication lag is the time between the commit of a transaction on the primary and its replay on a standby. It is measured in bytes and in seconds; the two can differ widely, because an idle primary produces no write-ahead log and the clock keeps running. A standby that serves long read-only queries may have to delay replay, or cancel those queries, when vacuum has removed row versions that they still need. Increase \`max_standby_streaming_delay\` to favour the queries, or set \`hot_standby_feedback = on\` to keep the primary from removing those versions at the price of table bloat.

Before you change either setting, check three things: (1) whether the network between the two hosts is saturated, (2) whether the standby's disks can keep up with the write rate, and (3) whether a single large transaction, such as a bulk import, is the cause. In the third case the lag disappears by itself. Customers on the Basic plan can't change server settings; they can, however, move reports to a separate replica with a larger delay (up to 1,800 seconds).
`,
  },
  {
    name: 'english, chat',
    tokens: { o200k: 245, claude: 244, gemini: 274, deepseek: 252, tekken: 268 },
    text: `user: hey, quick one - my flight got moved from 7:45am to 5:10pm on the 14th, can i still make the 8pm dinner at Lucia's?? the airport's about 40 mins away i think
assistant: Probably, but it'll be tight. The flight takes 1h 50m, so you'd land around 7:00pm local time. Allow 20–25 minutes for getting off the plane and another 40 for the taxi, and you're at Lucia's at about 8:05pm if nothing goes wrong. I'd call them and ask for 8:30.
user: ok makes sense. could you write them a short message? table's under Okonkwo, party of 6, one of us is vegan & one can't have nuts
assistant: Sure! "Hi, this is the Okonkwo party of six, booked for 8pm on the 14th. Our flight has been delayed; could we please move the table to 8:30pm? One guest is vegan and another has a nut allergy. Thank you!"
user: perfect, thx :) and remind me to pack the charger lol
`,
  },
  {
    name: 'code, typescript',
    tokens: { o200k: 409, claude: 475, gemini: 503, deepseek: 423, tekken: 429 },
    text: `import { createHash } from 'node:crypto';
import type { Clock, Store } from './types';

export interface CacheOptions<V> {
  readonly ttlMs: number;
  readonly maxEntries?: number;
  load(key: string, signal: AbortSignal): Promise<V>;
}

interface Entry<V> {
  value: V;
  expiresAtMs: number;
}

/** A read-through cache that coalesces concurrent loads of the same key. */
export class ReadThroughCache<V> {
  readonly #entries = new Map<string, Entry<V>>();
  readonly #loading = new Map<string, Promise<V>>();

  constructor(
    private readonly options: CacheOptions<V>,
    private readonly clock: Clock = Date,
  ) {}

  async get(key: string, signal: AbortSignal = AbortSignal.timeout(5_000)): Promise<V> {
    const cached = this.#entries.get(key);
    if (cached && cached.expiresAtMs > this.clock.now()) return cached.value;
    let loading = this.#loading.get(key);
    if (!loading) {
      loading = this.options.load(key, signal).finally(() => this.#loading.delete(key));
      this.#loading.set(key, loading);
    }
    const value = await loading;
    this.#put(key, value);
    return value;
  }

  #put(key: string, value: V): void {
    const { ttlMs, maxEntries = 1_000 } = this.options;
    this.#entries.delete(key);
    this.#entries.set(key, { value, expiresAtMs: this.clock.now() + ttlMs });
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= maxEntries) break;
      this.#entries.delete(oldest);
    }
  }
}

export const etagOf = (body: Buffer | string): string =>
  \`"\${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"\`;
`,
  },
  {
    name: 'code, python',
    tokens: { o200k: 523, claude: 571, gemini: 613, deepseek: 551, tekken: 545 },
    text: `"""Reads meter values from a CSV export and reports gaps and outliers."""

from __future__ import annotations

import argparse
import csv
import statistics
import sys
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Reading:
    meter_id: str
    taken_at: datetime
    kwh: float


def read_rows(path: Path) -> list[Reading]:
    with path.open(newline="", encoding="utf-8") as handle:
        rows = csv.DictReader(handle, delimiter=";")
        return [
            Reading(row["meter"], datetime.fromisoformat(row["time"]), float(row["kwh"].replace(",", ".")))
            for row in rows
            if row.get("status") != "void"
        ]


def find_gaps(readings: list[Reading], step: timedelta) -> list[tuple[datetime, datetime]]:
    ordered = sorted(readings, key=lambda reading: reading.taken_at)
    return [
        (before.taken_at, after.taken_at)
        for before, after in zip(ordered, ordered[1:])
        if after.taken_at - before.taken_at > step * 1.5
    ]


def find_outliers(readings: list[Reading], limit: float = 4.0) -> list[Reading]:
    values = [reading.kwh for reading in readings]
    if len(values) < 8:
        return []
    middle = statistics.median(values)
    spread = statistics.median(abs(value - middle) for value in values) or 1e-9
    return [reading for reading in readings if abs(reading.kwh - middle) / (1.4826 * spread) > limit]


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("export", type=Path)
    parser.add_argument("--step-minutes", type=int, default=15)
    args = parser.parse_args(argv)
    readings = read_rows(args.export)
    for start, end in find_gaps(readings, timedelta(minutes=args.step_minutes)):
        print(f"gap: {start:%Y-%m-%d %H:%M} -> {end:%Y-%m-%d %H:%M}", file=sys.stderr)
    return 1 if find_outliers(readings) else 0


if __name__ == "__main__":
    raise SystemExit(main())
`,
  },
  {
    name: 'code, sql',
    tokens: { o200k: 305, claude: 346, gemini: 366, deepseek: 329, tekken: 333 },
    text: `-- Orders that were shipped late, by warehouse and week, with the share of each carrier.
WITH shipped AS (
  SELECT o.id, o.warehouse_id, s.carrier_code,
         date_trunc('week', s.shipped_at) AS week,
         s.shipped_at - o.promised_at AS delay
  FROM orders o
  JOIN shipments s ON s.order_id = o.id AND s.cancelled_at IS NULL
  WHERE o.created_at >= now() - INTERVAL '90 days'
    AND o.status IN ('shipped', 'delivered')
), late AS (
  SELECT *, count(*) OVER (PARTITION BY warehouse_id, week) AS late_in_week
  FROM shipped
  WHERE delay > INTERVAL '1 day'
)
SELECT w.name, l.week::date, l.carrier_code,
       count(*) AS late_orders,
       round(100.0 * count(*) / max(l.late_in_week), 1) AS percent,
       percentile_cont(0.95) WITHIN GROUP (ORDER BY extract(epoch FROM l.delay)) / 3600 AS p95_hours
FROM late l
JOIN warehouses w ON w.id = l.warehouse_id
GROUP BY w.name, l.week, l.carrier_code
HAVING count(*) >= 5
ORDER BY l.week DESC, late_orders DESC
LIMIT 200;

CREATE INDEX CONCURRENTLY IF NOT EXISTS shipments_order_id_idx ON shipments (order_id) WHERE cancelled_at IS NULL;
`,
  },
  {
    name: 'code, c',
    tokens: { o200k: 295, claude: 403, gemini: 398, deepseek: 315, tekken: 313 },
    text: `#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define RING_MIN_CAPACITY 16u

struct ring {
	uint8_t *data;
	size_t capacity; /* a power of two */
	size_t head, tail;
};

static size_t ring_used(const struct ring *r)
{
	return r->tail - r->head;
}

int ring_init(struct ring *r, size_t capacity)
{
	size_t size = RING_MIN_CAPACITY;

	while (size < capacity) {
		if (size > SIZE_MAX / 2)
			return -EOVERFLOW;
		size <<= 1;
	}
	r->data = malloc(size);
	if (!r->data)
		return -ENOMEM;
	r->capacity = size;
	r->head = r->tail = 0;
	return 0;
}

size_t ring_write(struct ring *r, const void *from, size_t len)
{
	size_t room = r->capacity - ring_used(r);
	size_t at = r->tail & (r->capacity - 1);
	size_t first;

	if (len > room)
		len = room;
	first = r->capacity - at;
	if (first > len)
		first = len;
	memcpy(r->data + at, from, first);
	memcpy(r->data, (const uint8_t *)from + first, len - first);
	r->tail += len;
	return len;
}
`,
  },
  {
    name: 'chinese, prose',
    tokens: { o200k: 290, claude: 392, gemini: 247, deepseek: 214, tekken: 315 },
    text: `清晨的码头异常安静。连续一周的暴风雨把渔船都困在防波堤里，如今风终于停了，却没有人急着出海。林岚把双手插在口袋里，沿着岸边慢慢地走，一边数着冷库外面堆放的虾笼，一边想着弟弟今天到底会不会来。

九点刚过，他还是来了。“你可以先走的。”他说。她笑了，因为两个人都知道那是不可能的：那台老旧的发动机只听他一个人的话。去年夏天，她花了几个月的时间想弄明白它的脾气，结果除了手腕上的一道烫伤和满口的粗话，什么也没有学会。

十点半，他们绕过了灯塔。身后的小镇渐渐缩成一排彩色的盒子，教堂的钟声隔着海面传来，断断续续，总是比实际时间晚上几秒。林岚从保温瓶里倒出咖啡。她想，这将是普普通通的一天，并为此感到庆幸：四十个虾笼要收，鱼饵要切，还要跟海鸥吵架，天黑之前就可以回家。
`,
  },
  {
    name: 'chinese, technical',
    tokens: { o200k: 295, claude: 359, gemini: 273, deepseek: 248, tekken: 377 },
    text: `你是一家云数据库公司的技术支持工程师。请用不超过三段话回答客户的问题，并注明所依据的手册章节。如果手册中没有答案，请如实说明，并主动提出为客户创建工单。

复制延迟是指事务在主库提交与在备库回放之间的时间差，可以用字节数或秒数来衡量。两者可能相差很大：主库空闲时不产生预写日志（WAL），而时间仍在流逝。如果备库上运行着耗时较长的只读查询，而主库的 VACUUM 已经清理了这些查询仍然需要的行版本，那么备库只能推迟回放，或者取消查询。将参数 max_standby_streaming_delay 调大可以优先保证查询；将 hot_standby_feedback 设为 on，则可以阻止主库过早清理，代价是表膨胀。

修改参数之前，请先检查以下三点：（1）两台主机之间的网络是否已经饱和；（2）备库的磁盘能否跟上写入速度；（3）是否由单个大事务（例如批量导入）引起。基础版客户无法修改服务器参数，但可以把报表迁移到延迟较大（最多 1800 秒）的只读副本上。
`,
  },
  {
    name: 'chinese, chat',
    tokens: { o200k: 234, claude: 305, gemini: 224, deepseek: 187, tekken: 279 },
    text: `用户：你好，我上周买的蓝牙耳机左边没声音了，能退吗？订单号是 20260318-7745。
客服：您好！非常抱歉给您带来不便。请问您试过把两只耳机同时放回充电盒，长按按键 10 秒重新配对吗？
用户：试过了，还是不行。而且昨天开始充电盒的指示灯也不亮了，气死我了！！
客服：明白了，这种情况属于质量问题。您的订单还在 15 天无理由退货期内，可以选择全额退款，也可以换一副新的，运费都由我们承担。您看哪种方式更方便？
用户：那就换一副吧，颜色能不能改成白色的？大概几天能到？
客服：可以的，白色现在有货。我已经为您登记好了，快递员明天上午会上门取件，新耳机预计 3 到 4 天送达。谢谢您的理解，祝您生活愉快～
`,
  },
  {
    name: 'json, compact',
    tokens: { o200k: 762, claude: 837, gemini: 984, deepseek: 825, tekken: 975 },
    text: `{"data":[{"id":"ord_7300","created_at":"2026-03-03T00:00:00.000Z","status":"paid","customer":{"id":"cus_dbba1","email":"ana.kovac@example.com","marketing_opt_in":true},"items":[{"sku":"SKU-10432-R","quantity":1,"unit_price":12.49,"discount":null}],"total":12.49,"currency":"EUR"},{"id":"ord_7317","created_at":"2026-03-04T07:13:29.317Z","status":"shipped","customer":{"id":"cus_dda90","email":"j.okafor@example.org","marketing_opt_in":false},"items":[{"sku":"SKU-10743-G","quantity":2,"unit_price":16.24,"discount":null}],"total":32.48,"currency":"EUR"},{"id":"ord_7334","created_at":"2026-03-05T14:26:58.634Z","status":"refunded","customer":{"id":"cus_df97f","email":"li.wei@example.net","marketing_opt_in":true},"items":[{"sku":"SKU-11054-B","quantity":3,"unit_price":19.99,"discount":null}],"total":59.97,"currency":"EUR"},{"id":"ord_7351","created_at":"2026-03-06T21:39:27.951Z","status":"pending","customer":{"id":"cus_e186e","email":"ana.kovac@example.com","marketing_opt_in":false},"items":[{"sku":"SKU-11365-R","quantity":1,"unit_price":23.74,"discount":null}],"total":23.74,"currency":"EUR"},{"id":"ord_7368","created_at":"2026-03-07T04:52:56.268Z","status":"paid","customer":{"id":"cus_e375d","email":"j.okafor@example.org","marketing_opt_in":true},"items":[{"sku":"SKU-11676-G","quantity":2,"unit_price":27.49,"discount":null}],"total":54.98,"currency":"EUR"},{"id":"ord_7385","created_at":"2026-03-08T11:05:25.585Z","status":"shipped","customer":{"id":"cus_e564c","email":"li.wei@example.net","marketing_opt_in":false},"items":[{"sku":"SKU-11987-B","quantity":3,"unit_price":31.24,"discount":null}],"total":93.72,"currency":"EUR"},{"id":"ord_7402","created_at":"2026-03-09T18:18:54.902Z","status":"refunded","customer":{"id":"cus_e753b","email":"ana.kovac@example.com","marketing_opt_in":true},"items":[{"sku":"SKU-12298-R","quantity":1,"unit_price":34.99,"discount":null}],"total":34.99,"currency":"EUR"},{"id":"ord_7419","created_at":"2026-03-10T01:31:23.219Z","status":"pending","customer":{"id":"cus_e942a","email":"j.okafor@example.org","marketing_opt_in":false},"items":[{"sku":"SKU-12609-G","quantity":2,"unit_price":38.74,"discount":null}],"total":77.48,"currency":"EUR"}],"has_more":true,"next_cursor":"eyJvZmZzZXQiOjgsImxpbWl0Ijo4fQ"}`,
  },
  {
    name: 'json, numbers',
    tokens: { o200k: 1151, claude: 1059, gemini: 1621, deepseek: 1151, tekken: 1621 },
    text: `[{"ts": 1772000000, "host": "web-01", "cpu": 32.383, "mem": 5042859575, "lat": 1.952803, "ok": false}, {"ts": 1772000060, "host": "web-02", "cpu": 53.588, "mem": 2279419893, "lat": 0.112487, "ok": true}, {"ts": 1772000120, "host": "web-03", "cpu": 6.986, "mem": 1923296038, "lat": 2.480556, "ok": true}, {"ts": 1772000180, "host": "web-04", "cpu": 22.324, "mem": 4170378921, "lat": 1.731309, "ok": true}, {"ts": 1772000240, "host": "web-01", "cpu": 97.626, "mem": 8890005680, "lat": 2.575405, "ok": true}, {"ts": 1772000300, "host": "web-02", "cpu": 14.426, "mem": 876213899, "lat": 1.7448, "ok": true}, {"ts": 1772000360, "host": "web-03", "cpu": 37.24, "mem": 8959611191, "lat": 0.178804, "ok": true}, {"ts": 1772000420, "host": "web-04", "cpu": 68.04, "mem": 5744219119, "lat": 1.756686, "ok": true}, {"ts": 1772000480, "host": "web-01", "cpu": 29.977, "mem": 3511833895, "lat": 2.096983, "ok": true}, {"ts": 1772000540, "host": "web-02", "cpu": 57.442, "mem": 6650669089, "lat": 2.625412, "ok": true}, {"ts": 1772000600, "host": "web-03", "cpu": 28.794, "mem": 4309818936, "lat": 0.354197, "ok": true}, {"ts": 1772000660, "host": "web-04", "cpu": 75.714, "mem": 6495047810, "lat": 0.117622, "ok": true}, {"ts": 1772000720, "host": "web-01", "cpu": 76.457, "mem": 5742502604, "lat": 2.085886, "ok": true}, {"ts": 1772000780, "host": "web-02", "cpu": 57.99, "mem": 2059386986, "lat": 2.519903, "ok": true}, {"ts": 1772000840, "host": "web-03", "cpu": 47.41, "mem": 2952512026, "lat": 0.182008, "ok": true}, {"ts": 1772000900, "host": "web-04", "cpu": 64.713, "mem": 7925107365, "lat": 0.853787, "ok": true}, {"ts": 1772000960, "host": "web-01", "cpu": 66.865, "mem": 6377933458, "lat": 0.504145, "ok": true}, {"ts": 1772001020, "host": "web-02", "cpu": 5.895, "mem": 7694502849, "lat": 0.388021, "ok": true}, {"ts": 1772001080, "host": "web-03", "cpu": 39.095, "mem": 8137696176, "lat": 0.241744, "ok": true}, {"ts": 1772001140, "host": "web-04", "cpu": 54.944, "mem": 3894104665, "lat": 2.45784, "ok": true}, {"ts": 1772001200, "host": "web-01", "cpu": 27.842, "mem": 8192546565, "lat": 2.873194, "ok": true}, {"ts": 1772001260, "host": "web-02", "cpu": 17.622, "mem": 1102170858, "lat": 1.454888, "ok": true}, {"ts": 1772001320, "host": "web-03", "cpu": 26.275, "mem": 117581913, "lat": 1.25684, "ok": true}, {"ts": 1772001380, "host": "web-04", "cpu": 56.634, "mem": 4193524416, "lat": 2.071481, "ok": true}]`,
  },
  {
    name: 'json, pretty',
    tokens: { o200k: 433, claude: 426, gemini: 521, deepseek: 434, tekken: 448 },
    text: `{
  "name": "create_calendar_event",
  "description": "Creates an event in the user's calendar. Ask for the time zone if it is not known.",
  "parameters": {
    "type": "object",
    "additionalProperties": false,
    "required": [
      "title",
      "start",
      "end"
    ],
    "properties": {
      "title": {
        "type": "string",
        "description": "Short title of the event.",
        "maxLength": 120
      },
      "start": {
        "type": "string",
        "format": "date-time"
      },
      "end": {
        "type": "string",
        "format": "date-time"
      },
      "location": {
        "type": [
          "string",
          "null"
        ],
        "description": "Address or name of the room."
      },
      "attendees": {
        "type": "array",
        "maxItems": 50,
        "items": {
          "type": "object",
          "required": [
            "email"
          ],
          "properties": {
            "email": {
              "type": "string",
              "format": "email"
            },
            "optional": {
              "type": "boolean",
              "default": false
            }
          }
        }
      },
      "reminder_minutes": {
        "type": "integer",
        "enum": [
          0,
          5,
          10,
          15,
          30,
          60
        ]
      },
      "recurrence": {
        "type": "object",
        "properties": {
          "frequency": {
            "type": "string",
            "enum": [
              "daily",
              "weekly",
              "monthly"
            ]
          },
          "interval": {
            "type": "integer",
            "minimum": 1
          },
          "until": {
            "type": "string",
            "format": "date"
          }
        }
      }
    }
  }
}`,
  },
];
