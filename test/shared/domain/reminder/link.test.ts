import { expect, test } from "bun:test";
import { type Offer, readOffer, signOffer } from "../../../../shared/domain/reminder/link.ts";

const now = Date.parse("2026-11-21T08:00:00Z");
const keys = ["an old key"] as const;
const by = { userId: "ada", deliveryId: "7b0c6b0e-5b0e-4c37-9d5a-3c8b0c7f1f52" };

test("a link that an earlier release made for a todo is still read, and still made so", () => {
  const link =
    "WyJhZGEiLDcsIjdiMGM2YjBlLTViMGUtNGMzNy05ZDVhLTNjOGIwYzdmMWY1MiIsImhvdXIiLDE3OTU4NTI4MDBd.YXbktWa95m2XJCY9vgZEPEOZHrOFA5Rzg2DG3Y1aAI0";
  const offer: Offer = { ...by, todoId: 7, act: "hour" };
  expect(readOffer(link, keys, now)).toEqual(offer);
  expect(signOffer(offer, keys, now)).toBe(link);
});

test("a habit's link brings back its habit and day, for seven days", () => {
  const offer: Offer = { ...by, habitId: 12, date: "2026-11-20", act: "skip" };
  const link = signOffer(offer, keys, now);
  expect(readOffer(link, keys, now + 604_800_000)).toEqual(offer);
  expect(readOffer(link, keys, now + 604_800_001)).toBe("expired");
  expect(readOffer(link, ["another key"], now)).toBeUndefined();
});
