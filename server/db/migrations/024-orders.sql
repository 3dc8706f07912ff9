-- Orders of the list besides the one by name. The id makes the order of people who joined at the same time unique.
drop index listings_by_age;
create index listings_by_age on listings (audience, listed_at, account_id);

-- The classes of a department, and each class by name.
create index listings_by_class on listings (audience, department, year_graduated, sort_name, account_id);
